package arrays

import (
	"io"
	"slices"
)

// mostDiagonals is the largest number of diagonals of a matrix. It bounds the memory of offsets.
const mostDiagonals = 1 << 18

// diagonals is a matrix of diagonals (DIA): the value of column j of diagonal k belongs to row j -
// offsets[k]. Places of no row are there to fill up.
type diagonals struct {
	*values
	offsets []int32
	at      int64
}

// newDiagonals reads the offsets of a matrix.
func newDiagonals(v *values, offsets *elements) (stream, error) {
	n := offsets.Rows
	if n != v.data.Rows {
		return nil, v.file.fault("%d offsets for %d diagonals", n, v.data.Rows)
	}
	if n > mostDiagonals {
		return nil, v.file.fault("%d diagonals, and at most %d are read", n, mostDiagonals).
			WithHint("scipy.sparse.save_npz(file, X.tocsr())")
	}
	d := &diagonals{values: v}
	for range n {
		k, err := offsets.int()
		if err != nil {
			return nil, err
		}
		if k <= -int64(v.rows) || k >= int64(v.cols) {
			return nil, v.file.fault("a diagonal of offset %d in a matrix of %d x %d", k, v.rows, v.cols)
		}
		d.offsets = append(d.offsets, int32(k))
	}
	sorted := slices.Sorted(slices.Values(d.offsets))
	for k := 1; k < n; k++ {
		if sorted[k] == sorted[k-1] {
			return nil, v.file.fault("two diagonals of offset %d", sorted[k])
		}
	}
	return d, nil
}

// next implements stream.
func (d *diagonals) next() (value, error) {
	count, long := int64(d.data.Rows), int64(d.data.Cols)
	for d.at < count*long {
		k, j := d.at/long, d.at%long
		if d.data.Fortran {
			k, j = d.at%count, d.at/count
		}
		d.at++
		x, err := d.number()
		if err != nil {
			return value{}, err
		}
		i := j - int64(d.offsets[k])
		if i >= 0 && i < int64(d.rows) && j < int64(d.cols) {
			return value{int32(i), int32(j), x}, nil
		}
	}
	return value{}, io.EOF
}
