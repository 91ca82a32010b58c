package selection

import (
	"context"
	"errors"
	"fmt"
)

// unwritten holds the chains whose files could not be written, by path. A file is worth less than the
// selection: it goes on, and what it has found stays in memory until the folder takes it.
type unwritten map[string]*chain

// mostUnwritten bounds the dual variables of these chains, in bytes of text. Those of a tuning are
// starts of later points; a chain of cells in progress is in memory anyway.
const mostUnwritten = 16 << 20

// write writes the file of a chain, or holds the chain in memory. It fails where that takes too much.
func (r *runner) write(c *chain) error {
	path := c.pathOf(r.options.Folder)
	err := writeJSON(path, c)
	if err == nil {
		delete(r.unwritten, path)
		return nil
	}
	if r.unwritten == nil {
		r.unwritten = unwritten{}
	}
	r.unwritten[path] = c
	bytes := 0
	for _, u := range r.unwritten {
		bytes += len(u.Alpha)
		for k := range u.Cells {
			bytes += len(u.Cells[k].Values)
		}
	}
	if bytes > mostUnwritten {
		return err
	}
	return nil
}

// writeLeft tries once more to write what could not be written. It returns the error of the first
// chain that still cannot be, and how many there are.
func (r *runner) writeLeft() (left int, err error) {
	for path, c := range r.unwritten {
		switch e := writeJSON(path, c); {
		case e == nil:
			delete(r.unwritten, path)
		case err == nil || e.Error() < err.Error(): // A map has no order, and messages have.
			err = e
		}
	}
	return len(r.unwritten), err
}

// finish ends a run with what it has found, or with the error that ended it. Files that are missing
// are a warning beside a table that is whole, and an error of a run whose files are all that it leaves.
func (r *runner) finish(s *Selection, err error) (*Selection, error) {
	left, e := r.writeLeft()
	switch {
	case left == 0:
	case errors.Is(err, context.Canceled):
		err = errors.Join(err, e)
	case err != nil: // of a disk that is full, say, which is the fault of the files as well
	case s.Missing > 0:
		err = e
	default:
		s.Warnings = append(s.Warnings, fmt.Sprintf("of the files of trainings %d could not be written, and --resume "+
			"trains again what they lack: %v", left, e))
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}
