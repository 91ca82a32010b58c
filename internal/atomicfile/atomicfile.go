// Package atomicfile writes files that are either whole or not there.
//
// A File is written under a temporary name beside its target; Commit makes it durable and gives it its name in one step,
// Abort leaves no trace of it. A target that exists and is no regular file (a pipe, /dev/null) cannot be replaced: it is
// written directly. A symbolic link stays; what it points to is replaced. A File belongs to one goroutine.
//
// A file in the making has a name, so that another process may remove, replace or cut it short. Everything is appended, so
// that the length tells, and Commit gives the target's name to no file but the one that was written, of its whole length.
package atomicfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// File is a file in the making.
type File struct {
	file   *files.File
	target string
	temp   string // "" when the target is written directly or the file is finished
	size   int64  // bytes that were written
	done   bool
}

// Create starts a file that is to be named path. Who may read it is for the umask to say.
func Create(path string) (*File, error) { return create(path, 0o666) }

// infix stands between the name of a target and the number that makes the name of a file in the making.
const infix = ".tmp"

// Target gives the name that a file in the making is to have; false if it is none by its name.
func Target(temporary string) (string, bool) {
	at := strings.LastIndex(temporary, infix)
	if at < 0 {
		return "", false
	}
	_, err := strconv.ParseUint(temporary[at+len(infix):], 36, 64)
	return temporary[:at], err == nil
}

// CreatePrivate is Create for a file that nobody else may read.
func CreatePrivate(path string) (*File, error) { return create(path, 0o600) }

func create(path string, mode fs.FileMode) (*File, error) {
	// What the path leads to has to be known: a link or a device must not be replaced by mistake.
	target := path
	info, err := files.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, writing(path, err)
	case !info.Mode().IsRegular():
		f, err := files.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, writing(path, err)
		}
		return &File{file: f, target: path}, nil
	default:
		if target, err = files.EvalSymlinks(path); err != nil {
			return nil, writing(path, err)
		}
	}
	for {
		// os.CreateTemp would leave mode 0600; the umask is to decide instead.
		temp := target + infix + strconv.FormatUint(rand.Uint64(), 36)
		f, err := files.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL|os.O_APPEND, mode)
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
	f.size += int64(n)
	return n, writing(f.target, err)
}

// whole fails if the temporary name stands for another file, or for one of another length, than was written.
func (f *File) whole() error {
	mine, err := f.file.Stat()
	if err != nil {
		return err
	}
	there, err := files.Lstat(f.temp)
	if err != nil {
		return err
	}
	if !os.SameFile(mine, there) || mine.Size() != f.size {
		return fail.New(fail.Input, "cannot write: another process has changed the file in the making").At(f.target, 0, 0)
	}
	return nil
}

// Commit finishes the file: its content and then its name reach the disk. On failure nothing is left behind, unless it was
// the name that could not be made durable: then the new file is there, for as long as the machine runs.
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
		err = f.whole()
	}
	if err == nil {
		err = f.file.Close()
	}
	if err == nil {
		err = files.Rename(f.temp, f.target)
	}
	if err != nil {
		f.Abort()
		return writing(f.target, err)
	}
	f.done = true
	return writing(f.target, files.SyncFolder(filepath.Dir(f.target)))
}

// Abort gives the file up. After Commit or Abort it does nothing, so that it can be deferred.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	f.file.Close()
	if f.temp != "" {
		files.Remove(f.temp)
	}
}

// writing classifies an error of the operating system.
func writing(path string, err error) error {
	var told *fail.Error
	if err == nil || errors.As(err, &told) {
		return err
	}
	return files.OwnFault("cannot write", path, err)
}
