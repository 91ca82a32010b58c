//go:build !linux || portable

package files

import (
	"path/filepath"
	"sync"
)

// registered maps the files that are open to their absolute paths. No call of every system lists
// them.
var registered = struct {
	sync.Mutex
	paths map[*File]string
}{paths: map[*File]string{}}

func (f *File) register() {
	path, err := filepath.Abs(f.Name())
	if err != nil {
		path = f.Name()
	}
	registered.Lock()
	defer registered.Unlock()
	registered.paths[f] = path
}

func (f *File) unregister() {
	registered.Lock()
	defer registered.Unlock()
	delete(registered.paths, f)
}

// RemoveOpen removes those files that this process has open whose path matches. It closes them
// first, because not every system removes an open file. It is the last that a process does: others
// may still be writing to them, and fail.
func RemoveOpen(match func(path string) bool) {
	registered.Lock()
	var list []*File
	for f, path := range registered.paths {
		if match(path) {
			list = append(list, f)
		}
	}
	registered.Unlock()
	for _, f := range list {
		f.Close()
		Remove(f.Name())
	}
}
