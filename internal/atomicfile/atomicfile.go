// Package atomicfile writes files that are either whole or not there.
//
// A File is written under a temporary name beside its target; Commit makes it durable and gives it its name in one step,
// Abort leaves no trace of it. A target that exists and is no regular file (a pipe, /dev/null) cannot be replaced: it is
// written directly. A symbolic link stays; what it points to is replaced. A File belongs to one goroutine.
package atomicfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"bigmkl/internal/fail"
)

// File is a file in the making.
type File struct {
	file   *os.File
	target string
	temp   string // "" when the target is written directly or the file is finished
	done   bool
}

// Create starts a file that is to be named path.
func Create(path string) (*File, error) {
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	if info, err := os.Stat(target); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return nil, writing(path, err)
		}
		return &File{file: f, target: path}, nil
	}
	for {
		// os.CreateTemp would leave mode 0600; the umask is to decide instead.
		temp := target + ".tmp" + strconv.FormatUint(rand.Uint64(), 36)
		f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, writing(path, err)
		}
		return &File{file: f, target: target, temp: temp}, nil
	}
}

// Write appends to the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.file.Write(p)
	return n, writing(f.target, err)
}

// Commit finishes the file: its content and then its name reach the disk. On failure nothing is left behind.
func (f *File) Commit() error {
	if f.done {
		return nil
	}
	if f.temp == "" {
		f.done = true
		return writing(f.target, f.file.Close())
	}
	err := f.file.Sync()
	if err == nil {
		err = f.file.Close()
	}
	if err == nil {
		err = os.Rename(f.temp, f.target)
	}
	if err != nil {
		f.Abort()
		return writing(f.target, err)
	}
	f.done = true
	return writing(f.target, syncDir(filepath.Dir(f.target)))
}

// Abort gives the file up. After Commit or Abort it does nothing, so that it can be deferred.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	f.file.Close()
	if f.temp != "" {
		os.Remove(f.temp)
	}
}

// syncDir makes a new name durable. File systems that cannot sync a directory say EINVAL or ENOTSUP.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return nil // a directory that can be written but not read: the name is there all the same
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}

// writing classifies an error of the operating system.
func writing(path string, err error) error {
	if err == nil {
		return nil
	}
	class := fail.Input
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG, syscall.EMFILE, syscall.ENFILE} {
		if errors.Is(err, full) {
			class = fail.Budget
		}
	}
	// The cause without its path, which may be the temporary one.
	cause := err
	var pe *fs.PathError
	var le *os.LinkError
	if errors.As(err, &pe) {
		cause = pe.Err
	} else if errors.As(err, &le) {
		cause = le.Err
	}
	return fail.New(class, "cannot write: %w", cause).At(path, 0, 0)
}
