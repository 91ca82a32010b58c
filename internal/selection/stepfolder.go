package selection

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// An importance does not end because a file of a step cannot be written. The readings stay in memory,
// and the file is written later.

// unkept has the steps and the dual variables of an importance whose files could not be written. Lanes
// may use it at the same time.
type unkept struct {
	mu    sync.Mutex
	steps map[*step]bool
	duals map[string][][]float64 // by their paths, of at most mostUnwritten bytes
}

// has reports whether the file of a step could not be written.
func (u *unkept) has(s *step) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.steps[s]
}

// set notes whether the file of a step could not be written.
func (u *unkept) set(s *step, failed bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !failed {
		delete(u.steps, s)
		return
	}
	if u.steps == nil {
		u.steps = map[*step]bool{}
	}
	u.steps[s] = true
}

// dualsOf returns the dual variables of a file, nil if it could be written.
func (u *unkept) dualsOf(path string) [][]float64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.duals[path]
}

// drop forgets the dual variables of a file.
func (u *unkept) drop(path string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.duals, path)
}

// hold keeps the dual variables of a file in memory, unless all are too many then. The readings of
// steps are a few numbers and are always kept. Dual variables have 8 bytes a row and classifier, so
// their sum is limited.
func (u *unkept) hold(path string, alpha [][]float64) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	bytes := 0
	for _, list := range append([][][]float64{alpha}, values(u.duals)...) {
		for _, a := range list {
			bytes += 8 * len(a)
		}
	}
	if bytes > mostUnwritten {
		return false
	}
	if u.duals == nil {
		u.duals = map[string][][]float64{}
	}
	u.duals[path] = alpha
	return true
}

// stepFolder is the folder of an importance with its steps, and the folders of other parts.
type stepFolder struct {
	path     string
	merged   []string
	settings string // a hash of them
	// sources has the plan of each step, which decides whether a step is complete.
	sources *sources
	unkept  unkept
}

// recall reads what the folder, or one that is merged, has of a step.
func (f *stepFolder) recall(s *step) error {
	if f.unkept.has(s) { // The folder has less than this run.
		return nil
	}
	plan := f.sources.planOf(s)
	for _, folder := range append([]string{f.path}, f.merged...) {
		path, there := s.pathOf(folder), step{}
		found, err := readJSON(path, &there)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		if err := there.check(path, f.settings, s, plan); err != nil {
			return err
		}
		// Readings of a step only grow, so the longest file has the readings of all others.
		if s.Choice == nil || len(there.Readings) > len(s.Readings) {
			*s = there
		}
	}
	return nil
}

// keepDuals writes the dual variables of the training without a source.
func (f *stepFolder) keepDuals(s *step, left int, alpha [][]float64) error {
	path := s.dualsPath(f.path, left)
	text := encodeAlpha(alpha)
	// The sum covers the settings and the name of the file. A file that was copied from another folder
	// or step is thus found.
	err := writeJSON(path, duals{text, hashOf([]byte(f.settings), []byte(filepath.Base(path)), []byte(text))})
	if err == nil || f.unkept.hold(path, alpha) {
		return nil
	}
	return err
}

// recallDuals reads the dual variables of the training of some data without a source. Merged parts have
// them in their own folders, but their steps need no further training.
func (f *stepFolder) recallDuals(s *step, left int, data *loaded) ([][]float64, error) {
	path, there := s.dualsPath(f.path, left), duals{}
	if alpha := f.unkept.dualsOf(path); alpha != nil {
		return alpha, nil
	}
	found, err := readJSON(path, &there)
	if err != nil {
		return nil, err
	}
	alpha, sound := decodeAlpha(there.Alpha, data.Classifiers(), data.Store().Len())
	// A step continues from this file. Without it the last digits would depend on where a run was
	// interrupted, so its lack is an error.
	if !found || !sound || there.Sum != hashOf([]byte(f.settings), []byte(filepath.Base(path)), []byte(there.Alpha)) {
		return nil, fail.New(fail.Corrupt, "the dual variables are damaged").At(path, 0, 0).
			WithHint("remove %s, and the step is measured again", filepath.Base(s.pathOf(f.path)))
	}
	return alpha, nil
}

// dropDuals removes the dual variables of a step that is complete. They take far more room than the
// readings, and no later training starts from them.
func (f *stepFolder) dropDuals(s *step) error {
	for k := allSources; k < len(f.sources.origins); k++ {
		path := s.dualsPath(f.path, k)
		f.unkept.drop(path)
		if err := files.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return files.OwnFault("cannot remove", path, err)
		}
	}
	return nil
}

// values lists the values of a map.
func values[K comparable, V any](m map[K]V) (list []V) {
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// keep writes a step, or holds it in memory.
func (f *stepFolder) keep(s *step, plan []reading) error {
	var err error
	if s.Sum, err = s.sum(f.settings); err != nil {
		return err
	}
	// The dual variables are removed only after the step is on the disk.
	failed := writeJSON(s.pathOf(f.path), s) != nil
	f.unkept.set(s, failed)
	if failed || len(s.Readings) < len(plan) {
		return nil
	}
	return f.dropDuals(s)
}

// finish returns the importance, or the error that ended the run. Steps that still cannot be written
// are a warning if the figures are complete. They are an error if the run has no result but its files.
func (f *stepFolder) finish(steps []*step, s *Importance, err error) (*Importance, error) {
	left, fault := 0, error(nil)
	for _, step := range steps { // The first error in their order is reported.
		if !f.unkept.has(step) {
			continue
		}
		if e := writeJSON(step.pathOf(f.path), step); e != nil {
			if left++; fault == nil {
				fault = e
			}
		} else if len(step.Readings) == len(f.sources.planOf(step)) {
			if e := f.dropDuals(step); e != nil {
				err = errors.Join(err, e)
			}
		}
	}
	switch {
	case left == 0:
	// The user ended the run and expects the files to be there, so the error of the files comes along.
	case errors.Is(err, context.Canceled):
		err = errors.Join(err, fault)
	case err != nil: // of a full disk, for example, which is the fault of the files as well
	case s.Missing > 0:
		err = fault
	// The figures are whole, and only a later run would miss the files.
	default:
		s.Warnings = append(s.Warnings, fmt.Sprintf("of the files of steps %d could not be written, and --resume measures again what they lack: %v", left, fault))
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}
