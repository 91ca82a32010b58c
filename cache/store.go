package cache

import (
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"bigmkl/internal/files"
)

// store is one badger database: blocks are put in until it is full, then it is removed. It is never reopened.
type store struct {
	dir      string
	db       *badger.DB
	hidden   []hiddenFile     // those that badger has mapped, which have no names any more
	sizes    map[string]int64 // of mapped files when they are new, by the ends of their names
	measured int64            // allocated blocks when last looked at
	since    int64            // bytes written after that
	index    int64            // bytes of memory for the rows and blocks that were written
	version  uint64

	broken atomic.Bool // a call panicked or stands still: locks inside may be held for ever
}

// openStore creates a database in a directory of its own, for rows of so many bytes on disk and so many in its index.
func openStore(dir string, limit, index int64) (*store, error) {
	trapFatal()
	o := preset(dir, limit, index)
	s := &store{dir: dir, sizes: map[string]int64{
		".vlog": 2 * o.ValueLogFileSize, ".mem": 2 * o.MemTableSize, "DISCARD": 1 << 20,
	}}
	err := s.guard(func() (err error) {
		if err := files.Announce(files.OpCreate, dir, nil); err != nil {
			return err
		}
		s.db, err = badger.OpenManaged(o) // who reads does not wait for who writes
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

// minTable is the least memory table: it has to take a batch many times over.
const minTable = 256 << 10

// preset makes badger a log of large values with small memory: the defaults take gigabytes for the same rows. The memory
// table holds the whole index: nothing is ever written from it to tables, merged or mapped, which badger does in
// goroutines of its own that try for ever where the folder is gone and end the process where a file was cut short.
func preset(dir string, limit, index int64) badger.Options {
	return badger.DefaultOptions(dir).
		WithLogger(nil).            // prints nothing
		WithMetricsEnabled(false).  // they are global to the process
		WithSyncWrites(false).      // nothing has to survive the process
		WithDetectConflicts(false). // one writer
		WithNumVersionsToKeep(1).
		WithCompression(options.None). // rows do not compress
		WithBlockCacheSize(0).         // the memory tier is the cache
		WithIndexCacheSize(0).
		WithValueThreshold(1). // every value goes to the log, the tree holds pointers only
		WithMemTableSize(max(index, minTable)).
		WithNumMemtables(1).
		WithNumCompactors(0). // there is nothing to merge
		WithNumGoroutines(1).
		WithValueLogFileSize(min(max(limit, 64<<20), 1<<30-1)) // as few as may be: they are begun by badger's goroutines
}

// guard calls f and turns a panic into an error. Faults of mapped files panic instead of ending the process.
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

// write stores the pairs, all or none. When it returns, their memory is not used any more.
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
		return s.hide() // a file that was begun has nothing but its header yet
	})
}

// entryOverhead bounds what badger adds to an entry: header, checksum, and the key again in the write-ahead log and table.
const entryOverhead = 128

// allocated is what the files take, never less than is known to have been written.
func (s *store) allocated() int64 { return s.measured + s.since }

// read copies a block to dst; false is one that is missing or of another length.
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
