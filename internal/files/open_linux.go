//go:build linux && !portable

package files

import (
	"os"
	"path/filepath"
)

// register does nothing: the system lists the files that a process has open.
func (f *File) register() {}

func (f *File) unregister() {}

// RemoveOpen removes those files that this process has open whose path matches. It is the last that
// a process does: others may still be writing to them.
func RemoveOpen(match func(path string) bool) {
	const links = "/proc/self/fd"
	entries, err := os.ReadDir(links)
	if err != nil {
		return
	}
	for _, e := range entries {
		if path, err := os.Readlink(filepath.Join(links, e.Name())); err == nil &&
			filepath.IsAbs(path) && match(path) {
			Remove(path)
		}
	}
}
