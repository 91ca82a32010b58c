package arrays

import (
	"math"

	"bigmkl/internal/fail"
)

// sparseParts are the arrays of a sparse matrix in each format that SciPy saves, beside those that
// all of them have. Places are integers.
var sparseParts = map[string][]string{
	"csr": {"indptr", "indices"},
	"csc": {"indptr", "indices"},
	"bsr": {"indptr", "indices"},
	"coo": {"row", "col"},
	"dia": {"offsets"},
}

// sparseCommon are the arrays that every sparse matrix has, except for _is_array, by which newer
// releases of SciPy mark what was a csr_array and not a csr_matrix.
var sparseCommon = []string{"data", "shape", "format", "_is_array"}

// form is a sparse matrix whose numbers have not been opened.
type form struct {
	file       *file
	format     string
	rows, cols int
}

// readFormat reads the format. A matrix without one is in compressed sparse rows, as matrices of
// old releases of SciPy are.
func (s *form) readFormat() error {
	f := s.file
	s.format = "csr"
	if f.members["format"] == nil {
		return nil
	}
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
	s.format = string(word)
	if sparseParts[s.format] == nil {
		return f.fault("a sparse matrix in format %s, and %s are read", fail.Word(word),
			"csr, csc, coo, bsr and dia").WithHint("scipy.sparse.save_npz(file, X.tocsr())")
	}
	return nil
}

// readShape reads the numbers of rows and columns.
func (s *form) readShape() error {
	f := s.file
	if f.members["shape"] == nil {
		return f.fault("the sparse matrix has no shape")
	}
	e, err := f.openArray("shape")
	if err != nil {
		return err
	}
	defer e.close()
	if e.Dims != 1 || e.Rows != 2 || e.Kind != 'i' && e.Kind != 'u' {
		return f.fault("the shape of the sparse matrix is not two integers").
			WithHint("a matrix has rows and columns: X.reshape(1, -1)")
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

// part opens an array of the matrix. All have one dimension but data, whose dimensions are given.
func (s *form) part(key string, dims int) (*elements, error) {
	f := s.file
	if f.members[key] == nil {
		return nil, f.fault("no array %s of a sparse matrix in format %s", key, s.format)
	}
	e, err := f.openArray(key)
	if err != nil {
		return nil, err
	}
	if e.Dims != dims || !e.Numbers() || key != "data" && e.Kind == 'f' {
		e.close()
		return nil, f.fault("%s of a sparse matrix in format %s is no list of numbers of its kind",
			e.name, s.format)
	}
	return e, nil
}

// parts opens all arrays of places, and data of so many dimensions. An error leaves none open.
func (s *form) parts(dims int) (places []*elements, data *elements, err error) {
	for _, key := range sparseParts[s.format] {
		e, err := s.part(key, 1)
		if err != nil {
			closeAll(places)
			return nil, nil, err
		}
		places = append(places, e)
	}
	data, err = s.part("data", dims)
	if err != nil {
		closeAll(places)
		return nil, nil, err
	}
	return places, data, nil
}

func (s *form) shape() (rows, cols int) { return s.rows, s.cols }

// fault returns an error at a row, counted from 0.
func (s *form) fault(row int, format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At(s.file.path, row+1, 0)
}

// repeated returns the error for a column that occurs twice in a row. SciPy would add both values
// up.
func (s *form) repeated(i int, j int64) error {
	return s.fault(i, "column %d occurs twice in a row", j+1).WithHint("X.sum_duplicates()")
}
