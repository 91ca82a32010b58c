package scratch

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// Found is a folder that Clean has found. It was removed, or would be, unless it is in use, Left
// states why it stays, or there is an error.
type Found struct {
	Path     string
	Size     int64     // Size is the size of the allocated blocks in bytes.
	Modified time.Time // Modified is the time of the last write to anything in the folder.
	InUse    bool
	Left     string // Left states why the folder stays: it may not be one of this program.
	Err      error
}

// These are the names of what this program writes: the folders of New, and in them the files of
// maps, of values of objects, of rows as they were read and of their labels, and of the row cache.
var (
	folderName = pattern(`^bigmkl-[a-z]+-[0-9]+$`)
	fileName   = pattern(`^(sample|active|gradient|vectors|points|objects|bigmkl-points|` +
		`bigmkl-rows|bigmkl-labels|bigmkl-cache)-[0-9]+$`)
)

// pattern returns the function that reports whether a name matches a regular expression. Only Clean
// asks, so the expression is compiled at the first question: every command would wait for it at its
// start otherwise.
func pattern(text string) func(name string) bool {
	compiled := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
	return func(name string) bool { return compiled().MatchString(name) }
}

// known reports whether an entry of a folder has a name and a type that this program gives.
func known(e fs.DirEntry) bool { return e.Type().IsRegular() && fileName(e.Name()) }

// Clean removes the folders in base that belong to this user and to no running process, or with dry
// only lists them. It ignores folders of other users. The error is about base itself.
func Clean(base string, dry bool) ([]Found, error) {
	entries, err := files.ReadDir(base)
	if err != nil {
		return nil, err
	}
	var found []Found
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) || !e.IsDir() {
			continue
		}
		f := Found{Path: filepath.Join(base, e.Name())}
		err := clean(&f, dry)
		for i := 0; i < attempts && files.NotEmpty(err); i++ {
			err = clean(&f, dry) // The folder may have got its lock meanwhile.
		}
		var left *foreign
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errOthers):
			// The folder is gone or belongs to another user.
			continue
		case errors.As(err, &left):
			f.Left = left.why
		case lost(err), files.NamesLast && files.Busy(err):
			f.InUse = true
		default:
			f.Err = err
		}
		found = append(found, f)
	}
	return found, nil
}

var errOthers = errors.New("another user's")

// foreign states why a folder may not be one of this program.
type foreign struct{ why string }

func (f *foreign) Error() string { return f.why }

func leave(format string, args ...any) error { return &foreign{fmt.Sprintf(format, args...)} }

// clean removes the folder if this program made it and no process uses it.
func clean(f *Found, dry bool) error {
	s := &survey{found: f}
	f.Size, f.Modified = 0, time.Time{}
	defer s.unlock()
	if err := s.private(f.Path); err != nil {
		return err
	}
	if dry {
		return nil
	}
	for _, path := range s.order {
		if files.NamesLast && filepath.Base(path) == lockName {
			s.unlock() // An open file may not be removed. It is the last in the folder.
		}
		if err := files.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// survey looks through a folder before anything in it is removed, and holds its lock.
type survey struct {
	found *Found
	// order is the order of the removal: the contents of the folder, its lock, the folder.
	order []string
	lock  *files.File // nil if the folder has none
}

// unlock gives the lock back.
func (s *survey) unlock() {
	if s.lock != nil {
		s.lock.Close()
	}
}

// private looks through a folder that New has made.
func (s *survey) private(path string) error {
	info, err := s.look(path)
	if err != nil {
		return err
	}
	switch {
	case !info.IsDir() || !files.Owned(info):
		return errOthers
	case !folderName(filepath.Base(path)):
		return leave("this program gives no such name")
	case files.HasModes && info.Mode().Perm() != 0o700:
		return leave("its mode is %o, not 700", info.Mode().Perm())
	}
	marked, err := s.takeLock(filepath.Join(path, lockName))
	if err != nil {
		return err
	}
	entries, err := files.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == lockName {
			continue
		}
		if !marked { // Its process ended before it marked the folder, which is then empty.
			return leave("it holds no lock of this program, and files")
		}
		if err := s.entry(path, e); err != nil {
			return err
		}
	}
	if s.lock != nil {
		s.order = append(s.order, filepath.Join(path, lockName))
	}
	s.order = append(s.order, path)
	return nil
}

// entry looks at one entry of a folder.
func (s *survey) entry(folder string, e fs.DirEntry) error {
	path := filepath.Join(folder, e.Name())
	if !known(e) {
		return leave("%s in it is nothing that this program writes", fail.Quote(e.Name()))
	}
	if _, err := s.look(path); err != nil {
		return err
	}
	s.order = append(s.order, path)
	return nil
}

// look adds a file or folder to what was found.
func (s *survey) look(path string) (fs.FileInfo, error) {
	info, err := files.Lstat(path)
	if err != nil {
		return nil, err
	}
	s.found.Size += files.Allocated(info)
	if t := info.ModTime(); t.After(s.found.Modified) {
		s.found.Modified = t
	}
	return info, nil
}

// takeLock takes the lock of a folder and reports whether it is marked as one of this program. The
// lock may be missing.
func (s *survey) takeLock(path string) (marked bool, err error) {
	info, err := s.look(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !info.Mode().IsRegular() {
		return false, leave("its lock is no file")
	}
	if s.lock, err = files.OpenFile(path, os.O_RDWR|files.NoFollow, 0); err != nil {
		s.lock = nil
		return false, err
	}
	if err := take(s.lock); err != nil {
		return false, err
	}
	text, err := io.ReadAll(io.LimitReader(s.lock, int64(len(mark))+1))
	if err != nil {
		return false, err
	}
	if !strings.HasPrefix(mark, string(text)) { // A full disk may have cut the mark short.
		return false, leave("its lock is none of this program")
	}
	return string(text) == mark, nil
}
