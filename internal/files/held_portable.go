//go:build unix && portable

package files

import (
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// held returns an error if this process has a file open that has one of the paths or lies in a
// folder of one. It makes this system reject what Windows rejects, so tests find what would fail
// there.
func held(kind Kind, paths ...string) error {
	registered.Lock()
	defer registered.Unlock()
	for _, path := range paths {
		full, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		for _, open := range registered.paths {
			if open == full || strings.HasPrefix(open, full+string(filepath.Separator)) {
				return &fs.PathError{Op: string(kind), Path: path, Err: syscall.EBUSY}
			}
		}
	}
	return nil
}

var names sync.Mutex

// keepNames lets no other file be created, renamed or removed until done is called: a file that was
// created is registered before another may ask for it.
func keepNames(kind Kind) (done func()) {
	if kind == OpOpen { // It may wait for the other end of a pipe.
		return func() {}
	}
	names.Lock()
	return names.Unlock
}
