package arrays

import (
	"cmp"
	"errors"
	"io"
	"math"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// sparse is a matrix in compressed sparse rows: row i has the elements indptr[i] to indptr[i+1]-1
// of indices and data.
type sparse struct {
	file                  *file
	indptr, indices, data *elements
	rows, cols            int
	// next is indptr of the row that is read next.
	next  int64
	value [1]float64
}

var _ matrix = (*sparse)(nil)

// newSparse opens the members of a sparse matrix. An error leaves none of them open.
func newSparse(f *file) (_ *sparse, err error) {
	s := &sparse{file: f}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if err := s.checkFormat(); err != nil {
		return nil, err
	}
	for _, part := range []struct {
		key string
		to  **elements
	}{{"indptr", &s.indptr}, {"indices", &s.indices}, {"data", &s.data}} {
		if f.members[part.key] == nil {
			return nil, f.fault("no array %s of a sparse matrix", part.key)
		}
		e, err := f.openArray(part.key)
		if err != nil {
			return nil, err
		}
		*part.to = e
		number := e.Numbers() && (part.key == "data" || e.Kind != 'f')
		if e.Dims != 1 || !number {
			return nil, f.fault("%s of a sparse matrix is no list of numbers of its kind", e.name)
		}
	}
	// These lengths come from headers that have been compared with the sizes of their members. They
	// are compared with each other before a number is read by them.
	if s.indptr.Rows != s.rows+1 {
		return nil, f.fault("%d numbers in indptr for %d rows", s.indptr.Rows, s.rows)
	}
	if s.indices.Rows != s.data.Rows {
		return nil, f.fault("%d indices for %d values", s.indices.Rows, s.data.Rows)
	}
	if s.next, err = s.indptr.int(); err == nil && s.next != 0 {
		err = f.fault("the first row begins at value %d and not at 0", s.next)
	}
	return s, err
}

// checkFormat reads shape and format.
func (s *sparse) checkFormat() error {
	f := s.file
	if f.members["format"] != nil {
		e, err := f.openArray("format")
		if err != nil {
			return err
		}
		defer e.close()
		if e.Dims != 0 || e.Numbers() {
			return f.fault("the format of the sparse matrix is no word")
		}
		word, err := e.text(nil)
		if err != nil {
			return err
		}
		if string(word) != "csr" {
			return f.fault("a sparse matrix in format %s, and csr is read", fail.Word(word)).
				WithHint("scipy.sparse.save_npz(file, X.tocsr())")
		}
	}
	if f.members["shape"] == nil {
		return f.fault("the sparse matrix has no shape")
	}
	e, err := f.openArray("shape")
	if err != nil {
		return err
	}
	defer e.close()
	if e.Dims != 1 || e.Rows != 2 || e.Kind != 'i' && e.Kind != 'u' {
		return f.fault("the shape of the sparse matrix is not two integers")
	}
	for _, to := range []*int{&s.rows, &s.cols} {
		n, err := e.int()
		if err != nil {
			return err
		}
		if n < 0 || n >= math.MaxInt32 {
			return f.fault("a sparse matrix of %d rows or columns", n)
		}
		*to = int(n)
	}
	if s.cols == 0 {
		return f.fault("the sparse matrix has no columns")
	}
	return nil
}

func (s *sparse) shape() (rows, cols int) { return s.rows, s.cols }

// addRow implements matrix. SciPy does not promise that the indices of a row ascend, so that they
// are sorted where they do not.
func (s *sparse) addRow(i, first int, to *entries) error {
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
		b, err := s.data.read(1)
		if err != nil {
			return err
		}
		s.data.Float64s(s.value[:], b)
		x := s.value[0]
		if !float.Finite(x) {
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
func (s *sparse) sort(i, first int, to *entries, start int) error {
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

// repeated returns the error for a column that occurs twice in a row. SciPy would add both values
// up.
func (s *sparse) repeated(i int, j int64) error {
	return s.fault(i, "column %d occurs twice in a row", j+1).WithHint("X.sum_duplicates()")
}

func (s *sparse) fault(row int, format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At(s.file.path, row+1, 0)
}

// end implements matrix.
func (s *sparse) end() error {
	// Values behind the last row would belong to rows that indptr does not know.
	if s.next != int64(s.data.Rows) {
		return s.file.fault("%d values, of which the rows take %d", s.data.Rows, s.next)
	}
	return cmp.Or(s.indptr.end(), s.indices.end(), s.data.end())
}

// Close implements io.Closer.
func (s *sparse) Close() error {
	var errs []error
	for _, e := range []*elements{s.indptr, s.indices, s.data} {
		if e != nil {
			errs = append(errs, e.close())
		}
	}
	return errors.Join(errs...)
}

var _ io.Closer = (*sparse)(nil)
