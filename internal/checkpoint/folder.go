package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"bigmkl/internal/atomicfile"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// Folder is a folder of checkpoints that this process has locked.
type Folder struct {
	path string
	lock *files.File
	next uint64 // next is the number of the checkpoint to be written.
}

const (
	lockName = "lock"
	prefix   = "checkpoint-"
	kept     = 2 // kept is the number of checkpoints that stay.
)

// ErrHeld is the cause of the error of a folder that another process has open.
var ErrHeld = errors.New("another run has its checkpoints in this folder")

// Open locks a folder and removes what a killed process was just writing. It makes the folder if
// there is none. A folder that another process has open gives an error of class fail.Budget.
func Open(path string) (*Folder, error) {
	if err := files.MkdirAll(path, 0o700); err != nil {
		return nil, files.OwnFault("cannot make the folder of checkpoints", path, err)
	}
	lock, err := files.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, files.OwnFault("cannot lock the folder of checkpoints", path, err)
	}
	if err := lock.Lock(); err != nil {
		lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fail.New(fail.Budget, "%w", ErrHeld).
				At(path, 0, 0).
				WithHint("wait for its end, or name another folder")
		}
		return nil, files.OwnFault("cannot lock the folder of checkpoints", path, err)
	}
	f := &Folder{path: path, lock: lock}
	numbers, err := f.numbers()
	if err != nil {
		lock.Close()
		return nil, err
	}
	if len(numbers) > 0 {
		f.next = numbers[len(numbers)-1] + 1
	}
	return f, nil
}

// numbers lists the checkpoints, oldest first, and removes files that were being written when their
// process ended.
func (f *Folder) numbers() ([]uint64, error) {
	entries, err := files.ReadDir(f.path)
	if err != nil {
		return nil, files.OwnFault("cannot read the folder of checkpoints", f.path, err)
	}
	var list []uint64 // All names have one length, so they sort as the numbers.
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), prefix)
		if n, ok := f.number(e); ok {
			list = append(list, n)
		} else if _, half := atomicfile.Target(rest); half && ours && e.Type().IsRegular() {
			files.Remove(filepath.Join(f.path, e.Name()))
		}
	}
	return list, nil
}

// number returns the number of a checkpoint, and whether a file of the folder is one.
func (f *Folder) number(e fs.DirEntry) (uint64, bool) {
	rest, ours := strings.CutPrefix(e.Name(), prefix)
	n, err := strconv.ParseUint(rest, 10, 64)
	return n, ours && err == nil && e.Type().IsRegular() &&
		f.file(n) == filepath.Join(f.path, e.Name())
}

// file returns the name of the checkpoint of a number. All names have the same length.
func (f *Folder) file(number uint64) string {
	return filepath.Join(f.path, fmt.Sprintf("%s%020d", prefix, number))
}

// Write adds a checkpoint and removes all but the last two. If it fails, the folder stays as it
// was.
func (f *Folder) Write(sections []Section) error {
	file, err := atomicfile.CreatePrivate(f.file(f.next))
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := encode(file, sections); err != nil {
		return err
	}
	if err := file.Commit(); err != nil {
		return err
	}
	f.next++
	return f.trim(kept)
}

// Clear removes all checkpoints.
func (f *Folder) Clear() error { return f.trim(0) }

// trim removes all checkpoints except the last ones.
func (f *Folder) trim(keep int) error {
	numbers, err := f.numbers()
	if err != nil {
		return err
	}
	for _, n := range numbers[:max(len(numbers)-keep, 0)] {
		if err := files.Remove(f.file(n)); err != nil {
			return files.OwnFault("cannot remove an old checkpoint", f.file(n), err)
		}
	}
	return nil
}

// Saved is a checkpoint that is open for reading.
type Saved struct {
	*Reader
	file *files.File
}

// Close closes the file of the checkpoint.
func (s *Saved) Close() error { return s.file.Close() }

// Last opens the last sound checkpoint. It returns nil if there is no checkpoint at all. If the
// last one is damaged and the one before is sound, it returns that one, and damaged states what
// is wrong with the other.
func (f *Folder) Last() (s *Saved, damaged error, err error) {
	numbers, err := f.numbers()
	if err != nil {
		return nil, nil, err
	}
	for i := len(numbers) - 1; i >= 0; i-- {
		s, err := f.open(numbers[i])
		if err == nil {
			return s, damaged, nil
		}
		if !errors.Is(err, fail.Corrupt) {
			return nil, nil, err
		}
		if damaged == nil {
			damaged = err
		}
	}
	return nil, nil, damaged
}

func (f *Folder) open(number uint64) (*Saved, error) {
	path := f.file(number)
	file, err := files.Open(path)
	if err != nil {
		return nil, files.OwnFault("cannot read the checkpoint", path, err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, files.OwnFault("cannot read the checkpoint", path, err)
	}
	r, err := NewReader(file, info.Size())
	if err != nil {
		file.Close()
		var e *fail.Error
		if errors.As(err, &e) {
			return nil, e.At(path, 0, 0)
		}
		return nil, err
	}
	return &Saved{r, file}, nil
}

// Latest opens the last sound checkpoint of a folder that it does not lock, and changes nothing. A
// folder without checkpoints gives an error of class fail.Input.
func Latest(path string) (*Saved, error) {
	entries, err := files.ReadDir(path)
	if err != nil {
		return nil, files.InputFault("cannot read the folder of checkpoints", path, err)
	}
	f := &Folder{path: path}
	first := fail.New(fail.Input, "there is no checkpoint in this folder").At(path, 0, 0)
	for _, e := range slices.Backward(entries) {
		n, ok := f.number(e)
		if !ok {
			continue
		}
		s, err := f.open(n)
		if err == nil {
			return s, nil
		}
		if !errors.As(err, &first) {
			return nil, err
		}
	}
	return nil, first
}

// Close releases the lock of the folder.
func (f *Folder) Close() error { return f.lock.Close() }
