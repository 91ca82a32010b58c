package arrays

import "io"

// value is a number of a sparse matrix with its place, from 0.
type value struct {
	row, col int32
	x        float64
}

// stream yields the values of a sparse matrix in the order of the file.
type stream interface {
	// next returns the next value, whose place is within the matrix, or io.EOF.
	next() (value, error)
	// end checks after the last value that the arrays have ended.
	end() error
	io.Closer
}

// values are the numbers of a sparse matrix, and the arrays that it has.
type values struct {
	*form
	all  []*elements
	data *elements
	x    [1]float64
}

// number returns the next number.
func (v *values) number() (float64, error) {
	b, err := v.data.read(1)
	if err != nil {
		return 0, err
	}
	v.data.Float64s(v.x[:], b)
	return v.x[0], nil
}

// end implements stream.
func (v *values) end() error {
	for _, e := range v.all {
		if err := e.end(); err != nil {
			return err
		}
	}
	return nil
}

// Close implements stream.
func (v *values) Close() error { return closeAll(v.all) }
