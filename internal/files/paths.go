package files

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Stat does the same as os.Stat.
func Stat(path string) (fs.FileInfo, error) {
	if err := before(OpStat, path); err != nil {
		return nil, err
	}
	return os.Stat(path)
}

// Lstat does the same as os.Lstat.
func Lstat(path string) (fs.FileInfo, error) {
	if err := before(OpStat, path); err != nil {
		return nil, err
	}
	return os.Lstat(path)
}

// EvalSymlinks does the same as filepath.EvalSymlinks.
func EvalSymlinks(path string) (string, error) {
	if err := before(OpStat, path); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// ReadDir does the same as os.ReadDir.
func ReadDir(path string) ([]fs.DirEntry, error) {
	if err := before(OpList, path); err != nil {
		return nil, err
	}
	return os.ReadDir(path)
}

// Chdir does the same as os.Chdir.
func Chdir(path string) error {
	if err := before(OpStat, path); err != nil {
		return err
	}
	return os.Chdir(path)
}

// MkdirAll does the same as os.MkdirAll.
func MkdirAll(path string, mode fs.FileMode) error {
	if err := before(OpMkdir, path); err != nil {
		return err
	}
	return os.MkdirAll(path, mode)
}

// MkdirTemp does the same as os.MkdirTemp. The new folder has mode 0700.
func MkdirTemp(dir, pattern string) (string, error) {
	if err := before(OpMkdir, filepath.Join(dir, pattern)); err != nil {
		return "", err
	}
	return os.MkdirTemp(dir, pattern)
}

// Rename does the same as os.Rename.
func Rename(from, to string) error {
	if i := injector.Load(); i != nil {
		if err := (*i).Before(Op{OpRename, from, to}); err != nil {
			return &os.LinkError{Op: string(OpRename), Old: from, New: to, Err: err}
		}
	}
	defer keepNames(OpRename)()
	if err := held(OpRename, from, to); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// Symlink does the same as os.Symlink.
func Symlink(to, link string) error {
	if err := before(OpCreate, link); err != nil {
		return err
	}
	return os.Symlink(to, link)
}

// Remove does the same as os.Remove.
func Remove(path string) error {
	if err := before(OpRemove, path); err != nil {
		return err
	}
	defer keepNames(OpRemove)()
	if err := held(OpRemove, path); err != nil {
		return err
	}
	return os.Remove(path)
}

// RemoveAll does the same as os.RemoveAll.
func RemoveAll(path string) error {
	if err := before(OpRemove, path); err != nil {
		return err
	}
	defer keepNames(OpRemove)()
	if err := held(OpRemove, path); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// SyncFolder makes the names in a folder durable as far as the file system can. If the folder may
// be written but not read, it does nothing, and the names exist all the same.
func SyncFolder(path string) error {
	if err := before(OpSyncFolder, path); err != nil {
		return err
	}
	return syncFolder(path)
}
