package selection

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// chainFolder is the folder of a selection with its chains, and the folders of other parts. All files
// are written whole under another name and then renamed (see writeJSON), so a killed run leaves no half
// file.
type chainFolder struct {
	path      string
	merged    []string
	selection string // a hash of the settings
	unwritten unwritten
}

// unwritten holds the chains whose files could not be written, by path. A selection does not end
// because a file cannot be written. The chain stays in memory until the folder takes it. Lanes may use
// it at the same time, each for chains of its own.
type unwritten struct {
	mu     sync.Mutex
	chains map[string]*chain
	bytes  map[string]int // of each chain: the dual variables and decision values as text
}

// hold keeps a chain in memory, or forgets it if it was written. It returns false if all chains
// take too much.
func (u *unwritten) hold(path string, c *chain, written bool) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if written {
		delete(u.chains, path)
		delete(u.bytes, path)
		return true
	}
	if u.chains == nil {
		u.chains, u.bytes = map[string]*chain{}, map[string]int{}
	}
	size := len(c.Alpha)
	for k := range c.Cells {
		size += len(c.Cells[k].Values)
	}
	u.chains[path], u.bytes[path] = c, size
	sum := 0
	for _, b := range u.bytes {
		sum += b
	}
	return sum <= mostUnwritten
}

// mostUnwritten bounds the dual variables of these chains, in bytes of text. The dual variables of
// a tuning are starts of later points; a chain of cells in progress is in memory anyway.
const mostUnwritten = 16 << 20

// recall reads the file of a chain from the folder and from the merged folders, and keeps the
// longest one. A chain only grows, so the longest has the cells of all others.
func (f *chainFolder) recall(c *chain, costs []float64) error {
	// The memory is ahead of the folder where a file could not be written.
	if held := f.unwritten.chains[c.pathOf(f.path)]; held != nil && len(held.Cells) > len(c.Cells) {
		*c = *held
		return nil
	}
	for _, folder := range append([]string{f.path}, f.merged...) {
		path, there := c.pathOf(folder), chain{}
		found, err := readJSON(path, &there)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		// A file with another hash or with damaged numbers is an error and not a gap. A silent new
		// training would hide the fault of the disk.
		if err := there.check(path, f.selection, c, costs, len(c.names())); err != nil {
			return err
		}
		if len(there.Cells) > len(c.Cells) {
			*c = there
		}
	}
	return nil
}

// write writes the file of a chain with its sum, or holds the chain in memory. It fails where that takes too much.
func (f *chainFolder) write(c *chain) (err error) {
	if c.Sum, err = c.sum(f.selection); err != nil {
		return err
	}
	path := c.pathOf(f.path)
	err = writeJSON(path, c)
	if f.unwritten.hold(path, c, err == nil) {
		return nil
	}
	return err
}

// writeLeft tries once more to write what could not be written. It returns the error of the first
// chain that still cannot be, and how many there are. A disk that was full for a while may have room
// again at the end.
func (f *chainFolder) writeLeft() (left int, err error) {
	for path, c := range f.unwritten.chains {
		switch e := writeJSON(path, c); {
		case e == nil:
			f.unwritten.hold(path, c, true)
		case err == nil || e.Error() < err.Error(): // A map has no order, and messages have.
			err = e
		}
	}
	return len(f.unwritten.chains), err
}

// finish returns the selection, or the error that ended the run. Files that still cannot be written are
// a warning if the table is complete. They are an error if the run has no result but its files.
func (f *chainFolder) finish(s *Selection, err error) (*Selection, error) {
	left, e := f.writeLeft()
	switch {
	case left == 0:
	// The user ended the run and expects the files to be there, so their error comes along.
	case errors.Is(err, context.Canceled):
		err = errors.Join(err, e)
	case err != nil: // of a full disk, for example, which is the fault of the files as well
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
