// Package atomicfile writes files that appear complete or not at all.
//
// A File is written under a temporary name beside its target. Commit makes it durable and gives it
// its name in one step, and Abort removes it. A target that exists and is not a regular file, such
// as a pipe or /dev/null, cannot be replaced and is written directly. A symbolic link stays, and
// the file to which it points is replaced. A File belongs to one goroutine.
//
// The temporary file has a name, so another process may remove it, replace it or cut it short. As
// bytes are only appended, the length shows that. Commit gives the name of the target only to the
// file that was written, and only if it has its full length, and looks once more when it has done
// so: what another process does to a finished file is no longer this package's to notice.
package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// File is a file that is being written.
type File struct {
	file   *files.File
	target string
	// temp is the temporary name. It is "" if the target is written directly or the file is
	// finished.
	temp string
	// size is the number of bytes written.
	size int64
	done bool
}

var _ io.Writer = (*File)(nil)

// Create starts a file that will be named path. The umask decides who may read it.
func Create(path string) (*File, error) { return create(path, 0o666) }

// infix stands between the name of the target and a random number in a temporary name.
const infix = ".tmp"

// Target returns the name of the target that belongs to a temporary name, and whether the name is
// one.
func Target(temporary string) (string, bool) {
	at := strings.LastIndex(temporary, infix)
	if at < 0 {
		return "", false
	}
	_, err := strconv.ParseUint(temporary[at+len(infix):], 36, 64)
	return temporary[:at], err == nil
}

// CreatePrivate starts a file that only its user may read.
func CreatePrivate(path string) (*File, error) { return create(path, 0o600) }

func create(path string, mode fs.FileMode) (*File, error) {
	// It must be known what the path leads to, because a link or a device must not be replaced by
	// mistake.
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
		// os.CreateTemp would set mode 0600, but the umask shall decide.
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

// expect returns what path names, and an error unless that is the file that was written, with its
// full length.
func (f *File) expect(path string, written fs.FileInfo) (fs.FileInfo, error) {
	there, err := files.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !os.SameFile(written, there) || there.Size() != f.size {
		return there, fail.New(fail.Input, "cannot write: another process has changed the file in "+
			"the making").At(f.target, 0, 0)
	}
	return there, nil
}

// Commit finishes the file. First its content and then its name reach the disk. If it fails,
// nothing is left behind, with one exception: if the name could not be made durable or looked up,
// the new file exists, until the next crash of the machine at least.
func (f *File) Commit() error {
	if f.done {
		return nil
	}
	if f.temp == "" {
		f.done = true
		return writing(f.target, f.file.Close())
	}
	written, err := f.finish()
	if err != nil {
		f.Abort()
		return writing(f.target, err)
	}
	f.done = true
	if err := files.SyncFolder(filepath.Dir(f.target)); err != nil {
		return writing(f.target, err)
	}
	// A change that began before the rename may have come to its end after it.
	there, err := f.expect(f.target, written)
	if err != nil && there != nil && os.SameFile(written, there) {
		files.Remove(f.target)
	}
	return writing(f.target, err)
}

// finish makes the content durable and gives the file its name.
func (f *File) finish() (fs.FileInfo, error) {
	if err := f.file.Sync(); err != nil {
		return nil, err
	}
	written, err := f.file.Stat()
	if err != nil {
		return nil, err
	}
	if _, err := f.expect(f.temp, written); err != nil {
		return nil, err
	}
	if err := f.file.Close(); err != nil {
		return nil, err
	}
	return written, files.Rename(f.temp, f.target)
}

// Abort discards the file. After Commit or Abort it does nothing, so it can be deferred.
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

// writing returns an error of the operating system with its class.
func writing(path string, err error) error {
	var told *fail.Error
	if err == nil || errors.As(err, &told) {
		return err
	}
	return files.OwnFault("cannot write", path, err)
}
