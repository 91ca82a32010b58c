package files

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// File is an open file or folder.
type File struct {
	f *os.File
	// scratch is true if Close removes the file.
	scratch bool
}

var _ interface {
	io.ReadWriteSeeker
	io.Closer
} = (*File)(nil)

// Open opens an existing file for reading.
func Open(path string) (*File, error) { return OpenFile(path, os.O_RDONLY, 0) }

// OpenFile does the same as os.OpenFile.
func OpenFile(path string, flag int, mode fs.FileMode) (*File, error) {
	kind := OpOpen
	if flag&os.O_CREATE != 0 {
		kind = OpCreate
	}
	if err := before(kind, path); err != nil {
		return nil, err
	}
	return wrap(kind, func() (*os.File, error) { return os.OpenFile(path, flag, mode) })
}

// CreateTemp does the same as os.CreateTemp. The new file has mode 0600.
func CreateTemp(dir, pattern string) (*File, error) {
	if dir == "" {
		dir = os.TempDir()
	}
	if err := before(OpCreate, filepath.Join(dir, pattern)); err != nil {
		return nil, err
	}
	return wrap(OpCreate, func() (*os.File, error) { return os.CreateTemp(dir, pattern) })
}

func wrap(kind Kind, open func() (*os.File, error)) (*File, error) {
	defer keepNames(kind)()
	f, err := open()
	if err != nil {
		return nil, err
	}
	file := &File{f: f}
	file.register()
	return file, nil
}

// Name returns the path by which the file was opened.
func (f *File) Name() string { return f.f.Name() }

// Read does the same as os.File.Read.
func (f *File) Read(p []byte) (int, error) {
	if err := before(OpRead, f.Name()); err != nil {
		return 0, err
	}
	n, err := f.f.Read(p)
	after(OpRead, f.Name(), p[:n])
	return n, err
}

// ReadAt does the same as os.File.ReadAt.
func (f *File) ReadAt(p []byte, offset int64) (int, error) {
	if err := before(OpRead, f.Name()); err != nil {
		return 0, err
	}
	n, err := f.f.ReadAt(p, offset)
	after(OpRead, f.Name(), p[:n])
	return n, err
}

// Write does the same as os.File.Write.
func (f *File) Write(p []byte) (int, error) {
	if err := before(OpWrite, f.Name()); err != nil {
		return cut(err, p, f.f.Write)
	}
	return f.f.Write(p)
}

// WriteAt does the same as os.File.WriteAt.
func (f *File) WriteAt(p []byte, offset int64) (int, error) {
	write := func(p []byte) (int, error) { return f.f.WriteAt(p, offset) }
	if err := before(OpWrite, f.Name()); err != nil {
		return cut(err, p, write)
	}
	return write(p)
}

// Seek does the same as os.File.Seek, which does not reach the disk.
func (f *File) Seek(offset int64, whence int) (int64, error) { return f.f.Seek(offset, whence) }

// Sync makes the content durable.
func (f *File) Sync() error {
	if err := before(OpSync, f.Name()); err != nil {
		return err
	}
	return f.f.Sync()
}

// Truncate does the same as os.File.Truncate.
func (f *File) Truncate(size int64) error {
	if err := before(OpTruncate, f.Name()); err != nil {
		return err
	}
	return f.f.Truncate(size)
}

// Stat does the same as os.File.Stat.
func (f *File) Stat() (fs.FileInfo, error) {
	if err := before(OpStat, f.Name()); err != nil {
		return nil, err
	}
	return f.f.Stat()
}

// Close closes the file, even if it returns an error.
func (f *File) Close() error {
	err := before(OpClose, f.Name())
	f.unregister()
	closed := f.f.Close()
	if err == nil {
		err = closed
	}
	if f.scratch && closed == nil {
		if removed := Remove(f.Name()); err == nil {
			err = removed
		}
	}
	return err
}
