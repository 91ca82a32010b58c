package arrays

import (
	"io"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// MaxEntries is the largest number of values of a row that are not zero.
const MaxEntries = 1 << 22

// entries are the values of a row that are not zero.
type entries struct {
	index []int32
	value []float64
}

// add appends an entry. It grows both slices fourfold, so growing takes a third of what they take
// in the end.
func (r *entries) add(j int, v float64) bool {
	if len(r.index) == cap(r.index) {
		if len(r.index) == MaxEntries {
			return false
		}
		more := max(3*len(r.index), 256)
		r.index, r.value = slices.Grow(r.index, more), slices.Grow(r.value, more)
	}
	r.index, r.value = append(r.index, int32(j)), append(r.value, v)
	return true
}

// matrix is a part of the columns of the rows.
type matrix interface {
	// shape returns the numbers of rows and columns.
	shape() (rows, cols int)
	// addRow adds the entries of row i, which counts up from 0, as features from first on.
	addRow(i, first int, to *entries) error
	// end checks after the last row that the array has ended.
	end() error
	io.Closer
}

// dense is an array of two dimensions.
type dense struct {
	*elements
	decoded []float64
	// raw holds bytes of the file from offset at on. It is nil unless the order is Fortran's.
	raw io.ReaderAt
	at  int64
	// block holds rows from row first on, column by column.
	block       []byte
	first, rows int
}

var _ matrix = (*dense)(nil)

// blockBytes is the size in bytes of a block of rows in Fortran order.
const blockBytes = 4 << 20

// newDense returns a matrix of the elements of an array.
func newDense(e *elements) (*dense, error) {
	reject := func(hint, format string, args ...any) error {
		return e.file.fault("%s"+format, append([]any{e.name}, args...)...).WithHint("%s", hint)
	}
	switch {
	case e.Dims != 2:
		return nil, reject("features are X.reshape(-1, 1) or X[None]; labels are called y",
			" has %d dimensions, and rows of features have 2", e.Dims)
	case !e.Numbers():
		return nil, reject("labels are called y", " is text and not numbers")
	case e.Cols == 0:
		return nil, reject("a row needs a feature", " has no columns")
	}
	d := &dense{elements: e, decoded: make([]float64, chunk)}
	// In C order a row lies in one piece and the file is read from its beginning to its end.
	if !e.Fortran {
		return d, nil
	}
	if e.Cols > MaxEntries {
		return nil, reject("numpy.ascontiguousarray(X)",
			" has its columns one after the other, and more than %d", MaxEntries)
	}
	// The elements of a member that is stored as it is lie in the archive as they would in a file.
	d.raw, d.at = e.file.f, e.Offset
	if e.member != nil {
		at, err := e.member.DataOffset()
		if err != nil {
			return nil, e.file.damaged(e.name, err)
		}
		if e.member.Method != 0 {
			return nil, reject("numpy.ascontiguousarray(X), or numpy.savez",
				" is compressed column by column, and rows are to be read")
		}
		d.at += at
	}
	// As many rows as fit a block make the columns' pieces long, each of which is a read of its own.
	d.rows = max(1, min(blockBytes/(e.Cols*e.Size), e.Rows))
	return d, nil
}

func (d *dense) shape() (rows, cols int) { return d.Rows, d.Cols }

// addRow implements matrix.
func (d *dense) addRow(i, first int, to *entries) error {
	if d.raw != nil && (d.block == nil || i == d.first+d.rows) {
		if err := d.readBlock(i); err != nil {
			return err
		}
	}
	for from := 0; from < d.Cols; from += chunk {
		n := min(chunk, d.Cols-from)
		b, err := d.piece(i, from, n)
		if err != nil {
			return err
		}
		v := d.decoded[:n]
		d.Float64s(v, b)
		for k, x := range v {
			// Text leaves zeros out as well, and the features of a model are those that rows have.
			if x == 0 {
				continue
			}
			if d.file.rejects(x) {
				return d.file.notFinite(d.name, x, i, from+k)
			}
			if !to.add(first+from+k, x) {
				return d.file.tooMany(i)
			}
		}
	}
	return nil
}

// piece returns the bytes of n elements of row i from column from on.
func (d *dense) piece(i, from, n int) ([]byte, error) {
	if d.raw == nil {
		return d.read(n)
	}
	b, size := d.buf[:n*d.Size], d.Size
	for k := range n {
		at := ((from+k)*d.rows + i - d.first) * size
		copy(b[k*size:], d.block[at:at+size])
	}
	return b, nil
}

// readBlock reads a block that holds row i. The last block begins before row i where that keeps it
// within the array, because all blocks have the same number of rows.
func (d *dense) readBlock(i int) error {
	// All columns of one row are there by the size of the file, so a row bounds the block.
	if d.block == nil {
		d.block = make([]byte, d.Cols*d.rows*d.Size)
	}
	d.first = min(i, d.Rows-d.rows)
	size, column := int64(d.Size), d.rows*d.Size
	for j := range d.Cols {
		at := d.at + (int64(j)*int64(d.Rows)+int64(d.first))*size
		if _, err := d.raw.ReadAt(d.block[j*column:(j+1)*column], at); err != nil {
			return d.file.damaged(d.name, err)
		}
	}
	return nil
}

// end implements matrix. An array in Fortran order was not read as a stream, so the checksum of
// an archive is compared by reading it once more.
func (d *dense) end() error {
	if d.raw != nil {
		if d.member == nil {
			return nil
		}
		if _, err := d.in.WriteTo(io.Discard); err != nil {
			return d.file.damaged(d.name, err)
		}
	}
	return d.elements.end()
}

// Close implements io.Closer.
func (d *dense) Close() error { return d.close() }

// rejects reports whether a value is infinite, or NaN where no value may be missing.
func (f *file) rejects(x float64) bool {
	return !float.Finite(x) && !(f.imputes && math.IsNaN(x))
}

// notFinite returns the error for a value that is NaN or infinite. Row and column count from 0.
func (f *file) notFinite(name string, x float64, row, col int) error {
	what, hint := "infinite", ""
	if math.IsNaN(x) {
		what, hint = "NaN", "; "+dataset.ImputeHint
	}
	return fail.New(fail.Input, "a value of %s is %s", name, what).At(f.path, row+1, col+1).
		WithHint("the place is row and column%s", hint)
}

// tooMany returns the error for a row of more than MaxEntries values.
func (f *file) tooMany(row int) error {
	return fail.New(fail.Input, "a row of more than %d values that are not zero", MaxEntries).
		At(f.path, row+1, 0)
}
