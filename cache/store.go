package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"bigmkl/internal/files"
)

// store is one badger database: blocks are put in until it is full, then it is removed. It is never reopened.
type store struct {
	dir      string
	db       *badger.DB
	measured int64 // allocated blocks when last looked at
	since    int64 // bytes written after that
	rows     int   // that were written whole
	version  uint64

	broken atomic.Bool // a call panicked: locks inside may be held for ever
}

// closeWait is how long a database that panicked may take to close before it is left behind.
const closeWait = time.Second

// openStore creates a database in a directory of its own.
func openStore(dir string) (*store, error) {
	s := &store{dir: dir}
	err := s.guard(func() (err error) {
		if err := files.Announce(files.OpCreate, dir, nil); err != nil {
			return err
		}
		s.db, err = badger.OpenManaged(preset(dir)) // who reads does not wait for who writes
		return err
	})
	if err != nil {
		return nil, err
	}
	s.measure()
	return s, nil
}

// preset makes badger a log of large values with small memory: the defaults take gigabytes for the same rows.
func preset(dir string) badger.Options {
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
		WithMemTableSize(256 << 10).
		WithNumMemtables(2).
		WithNumLevelZeroTables(1).
		WithNumLevelZeroTablesStall(4).
		WithBaseTableSize(256 << 10).
		WithBaseLevelSize(1 << 20).
		WithNumCompactors(2). // one is refused
		WithNumGoroutines(1).
		WithValueLogFileSize(64 << 20)
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
		s.version++
		txn := s.db.NewTransactionAt(s.version, true)
		defer txn.Discard()
		for _, p := range pairs {
			if err := txn.Set(p.key, p.value); err != nil {
				return err
			}
		}
		return txn.CommitAt(s.version, nil)
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

// measure counts the allocated blocks of the files. Apparent sizes say nothing: the files are sparse. If it cannot, the
// count of what was written, which errs on the high side, stands.
func (s *store) measure() {
	names, err := files.ReadDir(s.dir)
	if err != nil {
		return
	}
	var sum int64
	for _, n := range names {
		info, err := files.Lstat(filepath.Join(s.dir, n.Name()))
		switch {
		case err == nil:
			sum += info.Sys().(*syscall.Stat_t).Blocks * 512
		case !errors.Is(err, fs.ErrNotExist): // a table merged away takes nothing
			return
		}
	}
	s.measured, s.since = sum, 0
}

// remove closes the database and deletes its files.
func (s *store) remove() error {
	s.forget()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.guard(s.db.Close)
	}()
	if s.broken.Load() {
		select {
		case <-done:
		case <-time.After(closeWait):
		}
	} else {
		<-done
	}
	return files.RemoveAll(s.dir)
}

// forget frees the blocks of the value log under the open database, which would otherwise write them all to the device
// when it closes. The sizes stay, so the maps stay valid. Where the file system cannot do it, closing is slow.
func (s *store) forget() {
	names, _ := files.ReadDir(s.dir)
	for _, n := range names {
		if !strings.HasSuffix(n.Name(), ".vlog") {
			continue
		}
		if f, err := files.OpenFile(filepath.Join(s.dir, n.Name()), os.O_RDWR, 0); err == nil {
			if info, err := f.Stat(); err == nil {
				_ = f.Free(info.Size())
			}
			f.Close()
		}
	}
}
