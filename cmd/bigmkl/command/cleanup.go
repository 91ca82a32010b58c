package command

import (
	"os"
	"path/filepath"
	"slices"
	"sync"

	"bigmkl/internal/atomicfile"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/internal/scratch"
)

// cleanup records what must not stay behind when the process ends: scratch folders, and temporary
// files beside the files that are being written. Writers remove their temporary files themselves
// unless the process ends before. A signal ends the process in a goroutine of its own while the command
// is still running, so a mutex guards the lists.
type cleanup struct {
	mu      sync.Mutex
	folders []*scratch.Folder
	targets []string
}

// makeScratch creates a private scratch folder in base, or in the temporary folder of the system if
// base is "". A folder that cannot be made is a fault of usage, not of input: the user chose it, or can
// choose another one.
func (d *cleanup) makeScratch(base string) (string, error) {
	if base == "" {
		base = os.TempDir()
	}
	folder, err := scratch.New(base, "run")
	if err != nil {
		e := files.OwnFault("cannot make scratch files", base,
			err).WithHint("--scratch DIR names another folder")
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

// addTarget records that a file is about to be written. It must be called before the file is created.
// The path is made absolute, without symbolic links, because removeAll compares it with the paths of
// open files.
func (d *cleanup) addTarget(path string) {
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

// removeAll removes the recorded folders and temporary files. Other goroutines may still be writing
// when it is called.
func (d *cleanup) removeAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, folder := range d.folders {
		// A folder that cannot be removed now is left to the clean command.
		_ = folder.Remove()
	}
	d.folders = nil
	// Only files that this process has open are considered, so the files of others are safe.
	files.RemoveOpen(func(path string) bool {
		target, ok := atomicfile.Target(path)
		return ok && slices.Contains(d.targets, target)
	})
	d.targets = nil
}
