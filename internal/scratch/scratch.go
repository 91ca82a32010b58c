// Package scratch makes private folders for temporary files, and removes those that no process uses
// any more.
//
// Purpose. The files that a run keeps on disk are not needed after it. A run removes its folders;
// the folders of a killed run are found by Clean.
//
// Invariants. A folder is named bigmkl-*, has mode 0700 and belongs to the process that made it.
// This process holds an flock on the file "lock" in it from before New returns until the folder is
// gone. The system releases the lock when the process dies in whatever way. Clean removes only
// folders whose lock it holds. It may find a folder that is just being made, so New checks that the
// file it has locked is still the one in the folder, and otherwise starts again. The lock is
// removed last, so a removal that was cut short can be completed later. A folder without a lock is
// being made or removed, or is not one of this program. It is removed only if it is empty. Where
// open files keep their names, the lock is given back before it is removed: the folder holds
// nothing else by then, and whoever takes the lock meanwhile removes it.
//
// Everybody may write to the temporary folder, and the name of a folder does not prove who made it.
// So the lock names its purpose. Clean removes only folders that have a name as New gives them and
// such a lock, and that contain only what this program writes (see known). Otherwise it leaves the
// folder as it is and states why.
//
// Concurrency. Any number of goroutines and processes may call New and Clean. A Folder belongs to
// one goroutine at a time. If the file system has no locks, every folder counts as used.
//
// Memory. A folder takes one descriptor.
//
// References. See flock(2).
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
	// mark is the content of the lock.
	mark = "scratch files of bigmkl, which bigmkl clean may remove\n"
	// attempts is how often making a folder is tried while others clean up, and emptying one while
	// files still appear in it.
	attempts = 100
)

// Folder is a private folder.
type Folder struct {
	path string
	lock *files.File
}

// New makes a folder in base, whose name contains the purpose. If base is empty, the temporary
// folder of the system is used. A full disk gives an error of class fail.Budget.
func New(base, purpose string) (*Folder, error) {
	for range attempts {
		path, err := files.MkdirTemp(base, prefix+purpose+"-*")
		if err != nil {
			return nil, err
		}
		lock, err := files.OpenFile(filepath.Join(path, lockName),
			os.O_CREATE|os.O_EXCL|os.O_RDWR|files.NoFollow, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue // It was removed while it was empty.
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
			lock.Close() // The process that holds the lock removes the folder.
			continue
		}
		f.Remove()
		return nil, err
	}
	return nil, fmt.Errorf("%s: every new folder is removed at once", base)
}

// Path returns the path of the folder.
func (f *Folder) Path() string { return f.path }

// Remove removes the folder with everything in it. Further calls do nothing.
func (f *Folder) Remove() error {
	var err error
	for range attempts {
		if err = f.remove(); err == nil {
			break
		}
	}
	f.lock.Close()
	return err
}

// remove empties the folder and removes the lock last.
func (f *Folder) remove() error {
	err := empty(f.path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil // Another process has removed it and may have put something of its own there.
	}
	if err != nil {
		return err
	}
	if files.NamesLast { // The folder is empty, so another may have the lock.
		f.lock.Close()
	}
	for _, last := range []string{filepath.Join(f.path, lockName), f.path} {
		err := files.Remove(last)
		if files.NamesLast && files.Busy(err) {
			return nil // Another process has taken the lock to remove the folder.
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

var errReplaced = fmt.Errorf("the lock was replaced: %w", fs.ErrNotExist)

// take locks the file and checks that it still has its name, because another process may have had
// the lock and removed the file.
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

// lost reports whether an error means that another process has the lock, or had it and has removed
// the folder.
func lost(err error) bool {
	return errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, fs.ErrNotExist)
}

// unsupported reports whether an error means that the file system has no locks.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK)
}

// empty removes all but the lock from a folder.
func empty(path string) error {
	entries, err := files.ReadDir(path)
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
	return nil
}
