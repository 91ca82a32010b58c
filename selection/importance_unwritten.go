package selection

import (
	"context"
	"errors"
	"fmt"
)

// A file of a step is worth less than the importance: where it cannot be written, the run goes on, and what it has found stays
// in memory until the folder takes it.

// unkept is the files of an importance that could not be written.
type unkept struct {
	steps map[*step]bool
	duals map[string][][]float64 // by their paths, of at most mostUnwritten bytes
}

// holdDuals keeps dual variables in memory that could not be written, and returns the fault if they are too many.
func (r *importer) holdDuals(path string, alpha [][]float64, fault error) error {
	bytes := 0
	for _, list := range append([][][]float64{alpha}, values(r.unkept.duals)...) {
		for _, a := range list {
			bytes += 8 * len(a)
		}
	}
	if bytes > mostUnwritten {
		return fault
	}
	if r.unkept.duals == nil {
		r.unkept.duals = map[string][][]float64{}
	}
	r.unkept.duals[path] = alpha
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
func (r *importer) keep(s *step, plan []reading) error {
	var err error
	if s.Sum, err = s.sum(r.settings); err != nil {
		return err
	}
	if writeJSON(s.pathOf(r.all.Folder), s) != nil {
		if r.unkept.steps == nil {
			r.unkept.steps = map[*step]bool{}
		}
		r.unkept.steps[s] = true
		return nil
	}
	delete(r.unkept.steps, s)
	if len(s.Readings) < len(plan) {
		return nil
	}
	return r.dropDuals(s)
}

// finish ends a run with what it has found, or with the error that ended it. Steps that still cannot be written are a warning beside
// figures that are whole, and an error of a run whose files are all that it leaves.
func (r *importer) finish(s *Importance, err error) (*Importance, error) {
	left, fault := 0, error(nil)
	for _, step := range r.steps { // in their order, of which the first one is told
		if !r.unkept.steps[step] {
			continue
		}
		if e := writeJSON(step.pathOf(r.all.Folder), step); e != nil {
			if left++; fault == nil {
				fault = e
			}
		} else if len(step.Readings) == len(r.planOf(step)) {
			if e := r.dropDuals(step); e != nil {
				err = errors.Join(err, e)
			}
		}
	}
	switch {
	case left == 0:
	case errors.Is(err, context.Canceled):
		err = errors.Join(err, fault)
	case err != nil: // of a disk that is full, say, which is the fault of the files as well
	case s.Missing > 0:
		err = fault
	default:
		s.Warnings = append(s.Warnings, fmt.Sprintf("of the files of steps %d could not be written, and --resume measures again what they lack: %v", left, fault))
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}
