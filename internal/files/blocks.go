package files

import (
	"io/fs"
	"os"
)

// writeZeros allocates the blocks of the first size bytes of an empty file by writing them. The zeros
// differ from a hole in that the file system has to keep them.
func writeZeros(f *os.File, size int64) error {
	zeros := make([]byte, min(size, 1<<20))
	for off := int64(0); off < size; off += int64(len(zeros)) {
		if _, err := f.WriteAt(zeros[:min(size-off, int64(len(zeros)))], off); err != nil {
			return err
		}
	}
	return nil
}

// Map maps the first size bytes, at least one, for reading and, if asked for, for writing to the
// file. The map outlives the descriptor; Unmap ends it.
func (f *File) Map(size int64, writable bool) ([]byte, error) {
	if err := before(OpMap, f.Name()); err != nil {
		return nil, err
	}
	data, err := mapFile(f.f, size, writable)
	if err != nil {
		return nil, &fs.PathError{Op: string(OpMap), Path: f.Name(), Err: err}
	}
	return data, nil
}

// Lock locks the file for this process until it is closed. It fails at once, with
// syscall.EWOULDBLOCK if another process has the lock. The system releases the lock when the
// process dies.
func (f *File) Lock() error {
	if err := before(OpLock, f.Name()); err != nil {
		return err
	}
	if err := lockFile(f.f); err != nil {
		return &fs.PathError{Op: string(OpLock), Path: f.Name(), Err: err}
	}
	return nil
}

// Space returns the number of bytes that an unprivileged process can still write to the file system
// of a folder, and the size of that file system.
func Space(dir string) (free, total int64, err error) {
	if err := before(OpSpace, dir); err != nil {
		return 0, 0, err
	}
	if free, total, err = diskSpace(dir); err != nil {
		return 0, 0, &fs.PathError{Op: string(OpSpace), Path: dir, Err: err}
	}
	return free, total, nil
}
