//go:build linux && !portable

package files

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// Reserve allocates blocks for the first size bytes of the file, so storing into a map of it
// cannot fail for lack of space. If the file system has no fallocate, it writes zeros, which also
// allocates blocks.
func (f *File) Reserve(size int64) error {
	if size == 0 {
		return nil
	}
	if err := before(OpAllocate, f.Name()); err != nil {
		return err
	}
	fail := func(err error) error {
		return &fs.PathError{Op: string(OpAllocate), Path: f.Name(),
			Err: err}
	}
	// A reservation that cannot succeed takes all the space that is left before it fails, so the
	// space is checked first.
	var disk unix.Statfs_t
	if err := unix.Fstatfs(int(f.f.Fd()), &disk); err == nil &&
		uint64(size)/uint64(disk.Bsize) > disk.Bavail {
		return fail(unix.ENOSPC)
	}
	for {
		err := unix.Fallocate(int(f.f.Fd()), 0, 0, size)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS):
			return writeZeros(f.f, size)
		}
		return fail(err)
	}
}
