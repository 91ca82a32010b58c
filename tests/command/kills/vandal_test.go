package kills

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"bigmkl/internal/atomicfile"
)

// vandal tampers with files of a running process.
type vandal struct {
	rng     *rand.Rand
	roots   []string
	moments []time.Duration
	done    []string // what it did, in words
}

// strike does its work until the process has ended. It waits while there is no file to change.
func (v *vandal) strike(ended <-chan struct{}) {
	start := time.Now()
	for _, at := range v.moments {
		select {
		case <-ended:
			return
		case <-time.After(time.Until(start.Add(at))):
		}
		for hit := false; !hit; {
			if hit = v.once(); !hit {
				select {
				case <-ended:
					return
				case <-time.After(time.Millisecond / 2):
				}
			}
		}
	}
}

// once does one thing to one file, or to all of a root; false if there is none.
func (v *vandal) once() bool {
	root := v.roots[v.rng.IntN(len(v.roots))]
	found := victims(root)
	if len(found) == 0 {
		return false
	}
	if v.rng.IntN(2) == 0 {
		found = []string{found[v.rng.IntN(len(found))]}
	}
	deed := []string{"removed", "cut short", "replaced"}[v.rng.IntN(3)]
	hit := false
	for _, path := range found {
		var err error
		switch deed {
		case "removed":
			err = os.Remove(path)
		case "cut short":
			var info fs.FileInfo
			if info, err = os.Lstat(path); err == nil {
				err = os.Truncate(path, v.rng.Int64N(info.Size()+1)*v.rng.Int64N(2))
			}
		case "replaced":
			err = v.replace(path, found)
		}
		hit = hit || err == nil
	}
	// A cleaner takes the folders with the files, and something else may come to be in their place.
	if deed != "cut short" && len(found) > 1 && v.rng.IntN(2) == 0 {
		entries, _ := os.ReadDir(root)
		for _, e := range entries {
			if path := filepath.Join(root, e.Name()); e.IsDir() && os.RemoveAll(path) == nil && deed == "replaced" {
				_ = os.WriteFile(path, []byte("something else"), 0o600)
			}
		}
	}
	if hit {
		v.done = append(v.done, fmt.Sprintf("%d files of %s %s, one being %s",
			len(found), filepath.Base(root), deed, filepath.Base(found[0])))
	}
	return hit
}

// replace puts another file in the place of one: noise, or a copy of its neighbour.
func (v *vandal) replace(path string, others []string) error {
	noise := make([]byte, v.rng.IntN(1<<16))
	for i := range noise {
		noise[i] = byte(v.rng.Uint32())
	}
	if other := others[v.rng.IntN(len(others))]; v.rng.IntN(2) == 0 && other != path {
		if b, err := os.ReadFile(other); err == nil && len(b) < 4<<20 {
			noise = b
		}
	}
	another := filepath.Join(filepath.Dir(path), "another")
	if err := os.WriteFile(another, noise, 0o600); err != nil {
		return err
	}
	if err := os.Rename(another, path); err != nil {
		os.Remove(another)
		return err
	}
	return nil
}

// victims are the files below a folder. Of results it is those in the making: what is done is not the program's any more.
func victims(root string) (found []string) {
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		if _, making := atomicfile.Target(path); making || filepath.Base(root) != "out" {
			found = append(found, path)
		}
		return nil
	})
	return found
}
