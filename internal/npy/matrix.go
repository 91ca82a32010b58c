package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/mmap"
)

// Matrix is a mapped matrix of floating-point numbers.
type Matrix struct {
	Rows, Cols int
	Float64s   bool // the numbers in the file are float64

	file *mmap.Map
	data []byte // the numbers
	size int    // bytes of a number
	big  bool
	// Distance in numbers between neighbours of a column and of a row.
	down, right int
}

// Load opens a .npy file or, where the magic bytes are missing, a raw file. The matrix has cols columns, or it is fail.Input;
// how many rows are right is for the caller to check.
func Load(path string, cols int) (*Matrix, error) {
	start, _, err := head(path)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(start, []byte(magic)) {
		return OpenRaw(path, cols)
	}
	m, err := Open(path)
	if err == nil && m.Cols != cols {
		m.Close()
		return nil, fail.New(fail.Input, "the matrix has %d columns, not %d", m.Cols, cols).At(path, 0, 0)
	}
	return m, err
}

// Open maps a .npy file.
func Open(path string) (*Matrix, error) {
	start, size, err := head(path)
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(start, size)
	if err != nil {
		return nil, fail.New(fail.Input, "%w", err).At(path, 0, 0)
	}
	m := &Matrix{Rows: h.rows, Cols: h.cols, size: h.size, big: h.big, down: h.cols, right: 1}
	if h.fortran {
		m.down, m.right = 1, h.rows
	}
	return m.mapped(path, size, h.offset)
}

// OpenRaw maps a file of nothing but little-endian numbers, row after row of cols. A square of float64 is recognised by the
// size of the file; any other file of whole rows holds float32.
func OpenRaw(path string, cols int) (*Matrix, error) {
	if cols < 1 || cols > math.MaxInt32 {
		panic(fmt.Sprintf("npy: %d columns", cols))
	}
	_, size, err := head(path)
	if err != nil {
		return nil, err
	}
	n := int64(cols)
	m := &Matrix{Cols: cols, size: 4, down: cols, right: 1}
	if square := n * n; square <= math.MaxInt64/8 && size == 8*square {
		m.size = 8
	}
	row := n * int64(m.size)
	if size == 0 || size%row != 0 || size/row > math.MaxInt32 {
		return nil, fail.New(fail.Input, "%d bytes make no rows of %d float32, nor a square of float64", size, cols).
			WithHint("write the matrix as .npy, which says what it holds").At(path, 0, 0)
	}
	m.Rows = int(size / row)
	return m.mapped(path, size, 0)
}

// head reads the start of a file, as much as a header may take, and its size.
func head(path string) ([]byte, int64, error) {
	refuse := func(err error) error { return files.InputFault("cannot read the matrix", path, err) }
	// Before the open, which would wait for a writer to come to a pipe.
	info, err := files.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, 0, refuse(err)
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, 0, refuse(err)
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, maxHeader+12))
	if err != nil {
		return nil, 0, refuse(err)
	}
	return start, info.Size(), nil
}

// mapped maps the file, which had size bytes when its header was checked.
func (m *Matrix) mapped(path string, size int64, offset int) (*Matrix, error) {
	file, err := mmap.OpenRead(path)
	if err != nil {
		return nil, err
	}
	if int64(len(file.Bytes())) != size {
		file.Close()
		return nil, fail.New(fail.Input, "the file changed while it was opened").At(path, 0, 0)
	}
	m.file, m.data, m.Float64s = file, file.Bytes()[offset:], m.size == 8
	return m, nil
}

// Close unmaps the file.
func (m *Matrix) Close() error {
	m.data = nil
	return m.file.Close()
}

// Row32 copies numbers from, from+1, ... of row i to dst, rounded to float32.
func (m *Matrix) Row32(i, from int, dst []float32) { row(m, i, from, dst) }

// Row64 copies numbers from, from+1, ... of row i to dst.
func (m *Matrix) Row64(i, from int, dst []float64) { row(m, i, from, dst) }

func row[T float32 | float64](m *Matrix, i, from int, dst []T) {
	if i < 0 || i >= m.Rows || from < 0 || len(dst) > m.Cols-from {
		panic(fmt.Sprintf("npy: row %d, numbers %d to %d of a %d x %d matrix", i, from, from+len(dst), m.Rows, m.Cols))
	}
	if len(dst) == 0 {
		return
	}
	data := m.data[(i*m.down+from*m.right)*m.size:]
	step := m.right * m.size
	switch {
	case m.size == 4 && !m.big && step == 4: // the usual case has a loop of its own, without strides
		data = data[:4*len(dst)]
		for j := range dst {
			dst[j] = T(math.Float32frombits(binary.LittleEndian.Uint32(data[4*j:])))
		}
	case m.size == 8 && !m.big && step == 8:
		data = data[:8*len(dst)]
		for j := range dst {
			dst[j] = T(math.Float64frombits(binary.LittleEndian.Uint64(data[8*j:])))
		}
	case m.size == 4:
		for j := range dst {
			dst[j] = T(math.Float32frombits(m.order().Uint32(data[step*j:])))
		}
	default:
		for j := range dst {
			dst[j] = T(math.Float64frombits(m.order().Uint64(data[step*j:])))
		}
	}
}

func (m *Matrix) order() binary.ByteOrder {
	if m.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}
