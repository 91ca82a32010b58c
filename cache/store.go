package cache

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"bigmkl/internal/files"
)

// store is one badger database. Blocks are put in until it is full, and then it is removed. It is
// never opened again.
type store struct {
	mappedFiles
	db *badger.DB
	// index is the memory in bytes for the rows and blocks that were written.
	index   int64
	version uint64

	// broken is true once a call has panicked or does not return. Locks inside the database may
	// then be held for ever.
	broken atomic.Bool
}

// openStore creates a database in a directory of its own. It has room for limit bytes of rows on
// disk and index bytes of their index in memory.
func openStore(dir string, limit, index int64) (*store, error) {
	trapFatal()
	o := preset(dir, limit, index)
	s := &store{mappedFiles: mappedFiles{dir: dir, sizes: map[string]int64{
		".vlog": 2 * o.ValueLogFileSize, ".mem": 2 * o.MemTableSize, "DISCARD": 1 << 20,
	}}}
	err := s.guard(func() (err error) {
		if err := files.Announce(files.OpCreate, dir, nil); err != nil {
			return err
		}
		s.db, err = badger.OpenManaged(o) // With managed versions readers do not wait for writers.
		return err
	})
	if err != nil {
		return nil, err
	}
	if err = s.hide(); err == nil && len(s.hidden) != len(s.sizes) {
		err = fmt.Errorf("%s: files of the database are gone", dir)
	}
	if err != nil {
		_ = s.remove()
		return nil, err
	}
	s.measure()
	return s, nil
}

// minTable is the least size of a memory table in bytes, which must take many batches.
const minTable = 256 << 10

// preset returns options that make badger a log of large values with little memory; the defaults
// take gigabytes for the same rows. The memory table holds the whole index, so badger never writes,
// merges or maps tables. It would do so in goroutines of its own, which try for ever if the folder
// is gone and end the process if a file was cut short.
func preset(dir string, limit, index int64) badger.Options {
	return badger.DefaultOptions(dir).
		WithLogger(nil).            // It prints nothing.
		WithMetricsEnabled(false).  // They are global to the process.
		WithSyncWrites(false).      // Nothing has to survive the process.
		WithDetectConflicts(false). // There is one writer.
		WithNumVersionsToKeep(1).
		WithCompression(options.None). // Rows do not compress.
		WithBlockCacheSize(0).         // The memory tier is the cache.
		WithIndexCacheSize(0).
		WithValueThreshold(1). // Every value goes to the log, and the tree holds only pointers.
		WithMemTableSize(max(index, minTable)).
		WithNumMemtables(1).
		WithNumCompactors(0). // There is nothing to merge.
		WithNumGoroutines(1).
		WithValueLogFileSize(logSize(limit))
}

// logSize returns the size of a file of the log in bytes. A new file is twice as long, and grows no
// longer than that.
func logSize(limit int64) int64 {
	if files.NamesLast {
		// A file takes its whole length on the disk, so a new one and those that are full have to
		// keep within the limit together.
		return min(max(limit/8, 1<<20), 1<<30-1)
	}
	return min(max(limit, 64<<20), 1<<30-1) // Files are few, as badger's goroutines make them.
}

// growth returns by how much the next file of the log makes a store larger before anything is
// written to it: its length, less the half by which the one before is cut short.
func growth(limit int64) int64 {
	if files.NamesLast {
		return logSize(limit)
	}
	return 0
}

// guard calls f and turns a panic into an error. Within f, faults of mapped files panic instead of
// ending the process.
func (s *store) guard(f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			s.broken.Store(true)
			err = fmt.Errorf("panic in the database: %v", p)
		}
	}()
	return f()
}

// pair is a block on its way to the database.
type pair struct{ key, value []byte }

// write stores all pairs or none. When it returns, it does not use their memory any more.
func (s *store) write(pairs []pair) error {
	return s.guard(func() error {
		if err := files.Announce(files.OpWrite, s.dir, nil); err != nil {
			return err
		}
		if err := s.whole(); err != nil {
			return err
		}
		s.version++
		txn := s.db.NewTransactionAt(s.version, true)
		defer txn.Discard()
		for _, p := range pairs {
			if err := txn.Set(p.key, p.value); err != nil {
				return err
			}
		}
		s.index += int64(len(pairs)) * tableEntry
		if err := txn.CommitAt(s.version, nil); err != nil {
			return err
		}
		return s.hide() // A new file has nothing but its header yet.
	})
}

// read copies a block to dst. It returns false if the block is missing or has another length.
func (s *store) read(txn *badger.Txn, b block, dst []byte) bool {
	item, err := txn.Get(b.appendKey(make([]byte, 0, keyBytes)))
	if err != nil {
		return false
	}
	whole := false
	err = item.Value(func(value []byte) error {
		whole = copy(dst, value) == len(value) && len(value) == len(dst)
		return nil
	})
	return err == nil && whole && files.Announce(files.OpRead, s.dir, dst) == nil
}

// closeWait is how long a database may take to close before it is left behind. It takes
// milliseconds as a rule.
const closeWait = 5 * time.Second

// errLeft is the error of a database that is left behind, with its goroutines, until the process
// ends.
var errLeft = errors.New("its database has not closed within " + closeWait.String() +
	" and was left behind")

// remove deletes the files and closes the database, or leaves it behind if that takes too long. If
// Close has entries to write to a table, it tries until it succeeds, for ever if the folder is
// gone. So the entries are dropped first, and the folder before them: without it there is no new
// memory table either, and nothing is left to be written.
func (s *store) remove() error {
	s.forget()
	var err error
	if files.NamesLast {
		// The database has its files open, so the folder can go only after it is closed. Until then
		// nobody else can remove the folder either.
		s.release()
		if err = s.shut(); err == nil {
			err = files.RemoveAll(s.dir)
		}
	} else {
		err = files.RemoveAll(s.dir)
		err = errors.Join(s.shut(), err)
	}
	s.release()
	return err
}

// shut drops the entries of the database and closes it, or leaves it behind.
func (s *store) shut() error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.guard(s.db.DropAll)
		_ = s.guard(s.db.Close)
	}()
	late := time.NewTimer(closeWait)
	defer late.Stop()
	select {
	case <-done:
		return nil
	case <-late.C:
		return errLeft
	}
}
