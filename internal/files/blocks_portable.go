//go:build !linux || portable

package files

import (
	"io/fs"
	"path/filepath"
	"syscall"
)

// Reserve allocates blocks for the first size bytes of the file, so storing into a map of it
// cannot fail for lack of space. No call of every system allocates blocks, so zeros are written:
// a reservation takes the time of writing the file once.
func (f *File) Reserve(size int64) error {
	if size == 0 {
		return nil
	}
	if err := before(OpAllocate, f.Name()); err != nil {
		return err
	}
	// A reservation that cannot succeed takes all the space that is left before it fails, so the
	// space is checked first.
	if free, _, err := diskSpace(filepath.Dir(f.Name())); err == nil && size > free {
		return &fs.PathError{Op: string(OpAllocate), Path: f.Name(), Err: syscall.ENOSPC}
	}
	return writeZeros(f.f, size)
}
