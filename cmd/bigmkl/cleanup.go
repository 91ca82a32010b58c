package main

import (
	"os"
	"path/filepath"
	"slices"
	"sync"

	"bigmkl/internal/atomicfile"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/host"
	"bigmkl/internal/scratch"
)

// cleanup is what must not be left behind: folders of scratch files, and files in the making beside their targets. The
// latter are removed by whoever writes them unless the process has no time for it.
type cleanup struct {
	mu      sync.Mutex
	folders []*scratch.Folder
	targets []string
}

// scratch makes a private folder for scratch files in base, the system's temporary folder if that is "".
func (d *cleanup) scratch(base string) (string, error) {
	if base == "" {
		base = os.TempDir()
	}
	folder, err := scratch.New(base, "run")
	if err != nil {
		e := files.OwnFault("cannot make scratch files", base, err).WithHint("--scratch DIR names another folder")
		if e.Class == fail.Input {
			e.Class = fail.Usage
		}
		return "", e
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.folders = append(d.folders, folder)
	return folder.Path(), nil
}

// writing notes that the file may be in the making.
func (d *cleanup) writing(path string) {
	if real, err := files.EvalSymlinks(path); err == nil {
		path = real
	}
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.targets = append(d.targets, path)
}

// remove removes everything. It may be called while other goroutines still write.
func (d *cleanup) remove() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, folder := range d.folders {
		_ = folder.Remove() // what cannot be removed now is left to the clean command
	}
	// Only files that this process has open are asked about, so those of others are safe.
	for _, file := range host.OpenFiles() {
		if target, ok := atomicfile.Target(file); ok && slices.Contains(d.targets, target) {
			files.Remove(file)
		}
	}
}
