package arrays

import (
	"cmp"
	"slices"
)

// compressedRows is a matrix in compressed sparse rows (CSR): row i has the elements indptr[i] to
// indptr[i+1]-1 of indices and data. It is read as the file has it.
type compressedRows struct {
	*values
	indptr, indices *elements
	// next is indptr of the row that is read next.
	next int64
}

var _ matrix = (*compressedRows)(nil)

// newCompressedRows opens the arrays of a matrix. An error leaves none of them open.
func newCompressedRows(f *form) (*compressedRows, error) {
	places, data, err := f.parts(1)
	if err != nil {
		return nil, err
	}
	s := &compressedRows{values: &values{form: f, all: append(places, data), data: data},
		indptr: places[0], indices: places[1]}
	if err := s.check(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// check compares the lengths of the arrays with each other before a number is read by them. They
// come from headers that have been compared with the sizes of their members.
func (s *compressedRows) check() error {
	f := s.file
	if s.indptr.Rows != s.rows+1 {
		return f.fault("%d numbers in indptr for %d rows", s.indptr.Rows, s.rows)
	}
	if s.indices.Rows != s.data.Rows {
		return f.fault("%d indices for %d values", s.indices.Rows, s.data.Rows)
	}
	var err error
	if s.next, err = s.indptr.int(); err == nil && s.next != 0 {
		err = f.fault("the first row begins at value %d and not at 0", s.next)
	}
	return err
}

// addRow implements matrix. SciPy does not promise that the indices of a row ascend, so they are
// sorted where they do not.
func (s *compressedRows) addRow(i, first int, to *entries) error {
	end, err := s.indptr.int()
	if err != nil {
		return err
	}
	// Both bounds hold before the loop, which so never reads behind the last element.
	if end < s.next || end > int64(s.data.Rows) {
		return s.fault(i, "indptr goes from %d to %d, of %d values", s.next, end, s.data.Rows)
	}
	// Entries before start belong to other arrays of the same row.
	start, last, ascending := len(to.index), int64(-1), true
	for ; s.next < end; s.next++ {
		j, err := s.indices.int()
		if err != nil {
			return err
		}
		if j < 0 || j >= int64(s.cols) {
			return s.fault(i, "index %d of a matrix of %d columns", j, s.cols)
		}
		// The features of the solver are ascending. Whether the row has to be sorted is noted on
		// the way, as nearly no row has to be.
		if ascending = ascending && j > last; j == last {
			return s.repeated(i, j)
		}
		last = j
		x, err := s.number()
		if err != nil {
			return err
		}
		if s.file.rejects(x) {
			return s.file.notFinite(s.data.name, x, i, int(j))
		}
		if x != 0 && !to.add(first+int(j), x) {
			return s.file.tooMany(i)
		}
	}
	if ascending {
		return nil
	}
	return s.sort(i, first, to, start)
}

// sort sorts the entries of a row from number start on.
func (s *compressedRows) sort(i, first int, to *entries, start int) error {
	type entry struct {
		index int32
		value float64
	}
	row := make([]entry, len(to.index)-start)
	for k := range row {
		row[k] = entry{to.index[start+k], to.value[start+k]}
	}
	slices.SortStableFunc(row, func(a, b entry) int { return cmp.Compare(a.index, b.index) })
	for k, e := range row {
		if k > 0 && e.index == row[k-1].index {
			return s.repeated(i, int64(e.index)-int64(first))
		}
		to.index[start+k], to.value[start+k] = e.index, e.value
	}
	return nil
}

// end implements matrix.
func (s *compressedRows) end() error {
	// Values behind the last row would belong to rows that indptr does not know.
	if s.next != int64(s.data.Rows) {
		return s.file.fault("%d values, of which the rows take %d", s.data.Rows, s.next)
	}
	return s.values.end()
}
