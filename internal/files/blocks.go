package files

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Reserve allocates blocks for the first size bytes of the file, so that storing into a map of it
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

func writeZeros(f *os.File, size int64) error {
	zeros := make([]byte, min(size, 1<<20))
	for off := int64(0); off < size; off += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(size-off, int64(len(zeros)))], off); err != nil {
			return err
		}
	}
	return nil
}

// Free gives back the blocks of the first size bytes. The file keeps its length.
func (f *File) Free(size int64) error {
	if err := before(OpAllocate, f.Name()); err != nil {
		return err
	}
	if err := unix.Fallocate(int(f.f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0,
		size); err != nil {
		return &fs.PathError{Op: string(OpAllocate), Path: f.Name(), Err: err}
	}
	return nil
}

// Map maps the first size bytes, at least one, for reading and, if asked for, for writing to the
// file. The map outlives the descriptor; unix.Munmap ends it.
func (f *File) Map(size int64, writable bool) ([]byte, error) {
	if err := before(OpMap, f.Name()); err != nil {
		return nil, err
	}
	prot := unix.PROT_READ
	if writable {
		prot |= unix.PROT_WRITE
	}
	data, err := unix.Mmap(int(f.f.Fd()), 0, int(size), prot, unix.MAP_SHARED)
	if err != nil {
		return nil, &fs.PathError{Op: string(OpMap), Path: f.Name(), Err: err}
	}
	return data, nil
}

// Lock locks the file for this process until it is closed. It fails at once, with unix.EWOULDBLOCK
// if another process has the lock. The system releases the lock when the process dies.
func (f *File) Lock() error {
	if err := before(OpLock, f.Name()); err != nil {
		return err
	}
	for {
		err := unix.Flock(int(f.f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case errors.Is(err, unix.EINTR):
			continue
		}
		return &fs.PathError{Op: string(OpLock), Path: f.Name(), Err: err}
	}
}

// Space returns the number of bytes that an unprivileged process can still write to the file system
// of a folder, and the size of that file system.
func Space(dir string) (free, total int64, err error) {
	if err := before(OpSpace, dir); err != nil {
		return 0, 0, err
	}
	var disk unix.Statfs_t
	if err := unix.Statfs(dir, &disk); err != nil {
		return 0, 0, &fs.PathError{Op: string(OpSpace), Path: dir, Err: err}
	}
	unit := disk.Frsize
	if unit <= 0 {
		unit = disk.Bsize
	}
	return int64(disk.Bavail) * unit, int64(disk.Blocks) * unit, nil
}
