package arrays

import (
	"cmp"
	"io"
	"slices"
)

// mostHeld is the largest number of values that are held at once, unless a single row has more.
const mostHeld = 1 << 21

// scattered is a sparse matrix whose file does not have row after row. If it has more values than
// are held at once, it is read several times: each time the values of the next rows are picked out,
// as many as fit, and sorted. So memory does not follow the size of the matrix.
type scattered struct {
	*form
	open func() (stream, error)
	// from is read on where it is. It is nil after its end.
	from stream
	// step is the number of rows that a file may have side by side, one group of them after the
	// other. If inOrder is true, it does, as the first reading has shown, and is not read again.
	step    int
	inOrder bool
	// held are the values of the rows below until from which on taken have not been returned, sorted
	// by their places. If the file is in order, some of later rows follow them.
	held  []value
	taken int
	until int
	most  int // most is the number of values at which held is cut.
}

var _ matrix = (*scattered)(nil)

// newScattered opens the arrays of a matrix and checks what their headers claim.
func newScattered(f *form) (*scattered, error) {
	s := &scattered{form: f, most: mostHeld}
	s.open = func() (from stream, err error) {
		from, s.step, err = f.stream()
		return from, err
	}
	var err error
	s.from, err = s.open()
	return s, err
}

// addRow implements matrix.
func (s *scattered) addRow(i, first int, to *entries) error {
	if i >= s.until {
		if err := s.fill(i); err != nil {
			return err
		}
	}
	for ; s.taken < len(s.held) && int(s.held[s.taken].row) == i; s.taken++ {
		v := s.held[s.taken]
		if s.file.rejects(v.x) {
			return s.file.notFinite("the sparse matrix", v.x, i, int(v.col))
		}
		// Values at the same place may have a sum of 0.
		if v.x != 0 && !to.add(first+int(v.col), v.x) {
			return s.file.tooMany(i)
		}
	}
	return nil
}

// fill holds the values of row first and of as many behind it as fit.
func (s *scattered) fill(first int) (err error) {
	begins := s.until == 0
	s.held = append(s.held[:0], s.held[s.taken:]...)
	s.taken, s.until = 0, s.rows
	if s.from == nil {
		s.held = s.held[:0]
		if s.from, err = s.open(); err != nil {
			return err
		}
	}
	ordered, last := true, 0
	for {
		v, err := s.from.next()
		if err == io.EOF {
			s.inOrder = s.inOrder || begins && ordered
			return cmp.Or(s.finish(), s.sort())
		}
		if err != nil {
			return err
		}
		group := int(v.row) / s.step * s.step
		ordered, last = ordered && group >= last, group
		if int(v.row) < first || int(v.row) >= s.until || v.x == 0 {
			continue
		}
		// Growing fourfold leaves a third behind, and takes no more room than is used in the end.
		if len(s.held) == cap(s.held) {
			s.held = slices.Grow(s.held, min(max(3*len(s.held), 256), max(s.most-len(s.held), 1)))
		}
		s.held = append(s.held, v)
		switch {
		case len(s.held) < s.most:
		case s.inOrder && group > first:
			s.until = group // The rows before this one's group are whole.
			return s.sort()
		default:
			// A group that does not fit is picked out row by row, by reading the file again.
			if err := s.cut(first); err != nil {
				return err
			}
		}
	}
}

// finish checks and closes the stream after its last value.
func (s *scattered) finish() error {
	from := s.from
	s.from = nil
	return cmp.Or(from.end(), from.Close())
}

// cut makes room: it adds values at the same place up, and leaves the later half of the rows for
// another reading.
func (s *scattered) cut(first int) error {
	if err := s.sort(); err != nil || len(s.held) < s.most/2 {
		return err
	}
	s.until = max(int(s.held[len(s.held)/2].row), first+1)
	end, _ := slices.BinarySearchFunc(s.held, s.until, func(v value, row int) int {
		return cmp.Compare(int(v.row), row)
	})
	s.held = s.held[:end]
	// Only the first row alone is that long.
	if end > MaxEntries {
		return s.file.tooMany(first)
	}
	s.most = max(s.most, 2*end)
	return nil
}

// sort sorts the values that are held, and adds those at the same place up in the order of the file.
func (s *scattered) sort() error {
	slices.SortStableFunc(s.held, func(a, b value) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	})
	n := 0
	for _, v := range s.held {
		if n == 0 || s.held[n-1].row != v.row || s.held[n-1].col != v.col {
			s.held[n] = v
			n++
			continue
		}
		// Coordinates may name a place twice, as in SciPy. Other formats do by mistake.
		if s.format != "coo" {
			return s.repeated(int(v.row), int64(v.col))
		}
		s.held[n-1].x += v.x
	}
	s.held = s.held[:n]
	return nil
}

// end implements matrix. The last row was read from the end of the file.
func (s *scattered) end() error { return nil }

// Close implements io.Closer.
func (s *scattered) Close() error {
	if s.from == nil {
		return nil
	}
	return s.from.Close()
}
