// Package scratch makes private folders for temporary files, and removes those that nobody uses any more.
//
// Purpose. What a run keeps on disk is of no use after it. A run removes its folders; one that is killed cannot, and its
// folders are found by Clean.
//
// Invariants. A folder is named bigmkl-*, has mode 0700 and belongs to the process that made it, which holds an flock on
// the file "lock" in it from before New returns until it is gone: the system takes the lock back from a process that dies in
// whatever way. Clean removes only folders whose lock it has got. It may come upon one that is just being made; New makes
// sure that the file it has locked is still the one in the folder, and starts again otherwise. The lock is the last file
// to be removed, so that what is left of a removal that was itself cut short can be removed later. A folder without a lock is
// being made or removed, or is none of ours: it goes only if it is empty.
//
// The temporary folder is everybody's, and the name of a folder is no proof of who made it. So the lock says what it is, and Clean
// removes only folders with names as New gives them, with such a lock, and with nothing in them but what this program writes (see
// known): anything else makes it leave the folder as it is, and say why.
//
// Concurrency. New and Clean from any number of goroutines and processes; a Folder is for one goroutine at a time. Where the
// file system knows no locks, nothing is taken for unused.
//
// Memory. A descriptor for each folder.
//
// References: flock(2).
package scratch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"bigmkl/internal/files"
)

const (
	prefix   = "bigmkl-"
	lockName = "lock"
	mark     = "scratch files of bigmkl, which bigmkl clean may remove\n" // what the lock says
	// attempts to make a folder while others clean up, and to empty one while files still appear in it.
	attempts = 100
)

// Folder is a private folder.
type Folder struct {
	path string
	lock *files.File
}

// New makes a folder named after its purpose in base, the system's temporary folder if that is "".
func New(base, purpose string) (*Folder, error) {
	for range attempts {
		path, err := files.MkdirTemp(base, prefix+purpose+"-*")
		if err != nil {
			return nil, err
		}
		lock, err := files.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_EXCL|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed while it was empty
		}
		if err != nil {
			files.Remove(path)
			return nil, err
		}
		f := &Folder{path, lock}
		err = take(lock)
		if unsupported(err) {
			err = nil
		}
		if err == nil {
			if _, err = lock.Write([]byte(mark)); err == nil {
				return f, nil
			}
		}
		if lost(err) {
			lock.Close() // who has got it removes it
			continue
		}
		f.Remove()
		return nil, err
	}
	return nil, fmt.Errorf("%s: every new folder is removed at once", base)
}

// Path is where the folder is.
func (f *Folder) Path() string { return f.path }

// Remove removes the folder with all that is in it. It may be called again.
func (f *Folder) Remove() error {
	var err error
	for range attempts {
		if err = remove(f.path); err == nil {
			break
		}
	}
	f.lock.Close()
	return err
}

var errReplaced = fmt.Errorf("the lock was replaced: %w", fs.ErrNotExist)

// take locks the file and makes sure that it is still there: another may have had the lock, and have removed it.
func take(lock *files.File) error {
	if err := lock.Lock(); err != nil {
		return err
	}
	mine, err := lock.Stat()
	if err != nil {
		return err
	}
	there, err := files.Lstat(lock.Name())
	if err != nil {
		return err
	}
	if !os.SameFile(mine, there) {
		return errReplaced
	}
	return nil
}

// lost tells that another has the lock, or had it and is through.
func lost(err error) bool {
	return errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, fs.ErrNotExist)
}

// unsupported tells that the file system has no locks.
func unsupported(err error) bool {
	return errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.ENOLCK)
}

// remove empties the folder and removes the lock last.
func remove(path string) error {
	entries, err := files.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil // another has removed it, and may have put something of its own there
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == lockName {
			continue
		}
		if err := files.RemoveAll(filepath.Join(path, e.Name())); err != nil {
			return err
		}
	}
	for _, last := range []string{filepath.Join(path, lockName), path} {
		if err := files.Remove(last); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
