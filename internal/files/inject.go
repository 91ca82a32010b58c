package files

import (
	"errors"
	"io/fs"
	"sync/atomic"
)

// Kind is the effect of an operation. It is the name of the operation in errors.
type Kind string

// These are the kinds of operations.
const (
	OpOpen       Kind = "open" // OpOpen opens an existing file.
	OpCreate     Kind = "create"
	OpRead       Kind = "read"
	OpWrite      Kind = "write"
	OpSync       Kind = "fsync"
	OpTruncate   Kind = "truncate"
	OpClose      Kind = "close"
	OpStat       Kind = "stat"
	OpAllocate   Kind = "fallocate"
	OpMap        Kind = "mmap"
	OpLock       Kind = "flock"
	OpMkdir      Kind = "mkdir"
	OpList       Kind = "readdir"
	OpRename     Kind = "rename"
	OpRemove     Kind = "remove"
	OpSyncFolder Kind = "fsync folder"
	OpSpace      Kind = "statfs"
)

// Op is an operation that is about to happen.
type Op struct {
	Kind Kind
	Path string
	To   string // To is the new path of a rename.
}

// Injector stands between the program and the file system in tests. Any goroutine may call it.
type Injector interface {
	// Before is called before each operation. If it returns an error, the operation does not happen
	// and returns that error.
	Before(Op) error
	// Read is called with the bytes that were read and may change them.
	Read(op Op, p []byte)
}

// Short is an error of Injector.Before that lets the first N bytes of a write through and then
// fails with Err.
type Short struct {
	N   int
	Err error
}

var _ error = (*Short)(nil)

func (s *Short) Error() string { return s.Err.Error() }

// Unwrap returns the error that the writer gets.
func (s *Short) Unwrap() error { return s.Err }

var injector atomic.Pointer[Injector]

// Inject installs an Injector until restore is called. There can be one at a time.
func Inject(i Injector) (restore func()) {
	if !injector.CompareAndSwap(nil, &i) {
		panic("files: there is an injector already")
	}
	return func() { injector.Store(nil) }
}

// before returns the error that replaces an operation, wrapped as os would wrap it.
func before(kind Kind, path string) error {
	i := injector.Load()
	if i == nil {
		return nil
	}
	if err := (*i).Before(Op{Kind: kind, Path: path}); err != nil {
		return &fs.PathError{Op: string(kind), Path: path, Err: err}
	}
	return nil
}

// after shows the injector what was read.
func after(kind Kind, path string, p []byte) {
	if i := injector.Load(); i != nil && len(p) > 0 {
		(*i).Read(Op{Kind: kind, Path: path}, p)
	}
}

// cut performs the part of a write that an injected error lets through.
func cut(err error, p []byte, write func([]byte) (int, error)) (int, error) {
	var short *Short
	if !errors.As(err, &short) {
		return 0, err
	}
	n, failed := write(p[:min(max(short.N, 0), len(p))])
	if failed != nil {
		return n, failed
	}
	var pe *fs.PathError
	errors.As(err, &pe)
	return n, &fs.PathError{Op: pe.Op, Path: pe.Path, Err: short.Err}
}
