package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"sync/atomic"

	"bigmkl/internal/fail"
	"bigmkl/internal/files"
	"bigmkl/mmap"
)

// Matrix is a mapped matrix of floating-point numbers.
type Matrix struct {
	Rows, Cols int
	// Float64s is true if the numbers in the file are float64.
	Float64s bool

	path string
	// info describes the file when its header was read.
	info os.FileInfo
	// lost is true once pages were missing.
	lost atomic.Bool
	file *mmap.Map
	// data holds the numbers as bytes.
	data []byte
	// size is the size of a number in bytes.
	size int
	big  bool
	// down is the distance in numbers between neighbours of a column, and right that between
	// neighbours of a row.
	down, right int
}

var _ io.Closer = (*Matrix)(nil)

// Load maps a .npy file or, if the magic bytes are missing, a raw file. A matrix that does not have
// cols columns gives an error of class fail.Input. The caller has to check the number of rows.
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
		return nil, fail.New(fail.Input, "the matrix has %d columns, not %d", m.Cols, cols).
			At(path, 0, 0)
	}
	return m, err
}

// Open maps a .npy file with an array of two dimensions. Errors are of class fail.Input.
func Open(path string) (*Matrix, error) { return open(path, false) }

// OpenVector maps a .npy file with an array of two dimensions, or of one, which becomes a row.
func OpenVector(path string) (*Matrix, error) { return open(path, true) }

// IsArray reports whether a file starts as .npy files do.
func IsArray(path string) (bool, error) {
	start, _, err := head(path)
	return bytes.HasPrefix(start, []byte(magic)), err
}

func open(path string, vector bool) (*Matrix, error) {
	start, info, err := head(path)
	if err != nil {
		return nil, err
	}
	h, err := parseHeader(start, info.Size())
	if err != nil {
		return nil, Fault(err, "", path)
	}
	if h.dims == 1 && !vector {
		return nil, fail.New(fail.Input, "the array has 1 dimensions, a matrix has 2").
			At(path, 0, 0)
	}
	m := &Matrix{Rows: h.rows, Cols: h.cols, size: h.size, big: h.big, down: h.cols, right: 1}
	if h.fortran {
		m.down, m.right = 1, h.rows
	}
	return m.mapped(path, info, h.offset)
}

// OpenRaw maps a file of little-endian numbers without a header, row after row of cols. If the size
// is the size of a square of float64, the numbers are taken for such; otherwise they are float32. A
// file of another size gives an error of class fail.Input.
func OpenRaw(path string, cols int) (*Matrix, error) {
	if cols < 1 || cols > math.MaxInt32 {
		panic(fmt.Sprintf("npy: %d columns", cols))
	}
	_, info, err := head(path)
	if err != nil {
		return nil, err
	}
	n, size := int64(cols), info.Size()
	m := &Matrix{Cols: cols, size: 4, down: cols, right: 1}
	if square := n * n; square <= math.MaxInt64/8 && size == 8*square {
		m.size = 8
	}
	row := n * int64(m.size)
	if size == 0 || size%row != 0 || size/row > math.MaxInt32 {
		return nil, fail.New(fail.Input, "%d bytes make no rows of %d float32, nor a square of "+
			"float64", size, cols).
			WithHint("write the matrix as .npy, which says what it holds").At(path, 0, 0)
	}
	m.Rows = int(size / row)
	return m.mapped(path, info, 0)
}

// head returns the first bytes of a file, as many as a header may take, and its description by the
// system.
func head(path string) ([]byte, os.FileInfo, error) {
	reject := func(err error) error { return files.InputFault("cannot read the matrix", path, err) }
	// This comes before the open, which would wait for a writer if the file is a pipe.
	info, err := files.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is not a regular file")
	}
	if err != nil {
		return nil, nil, reject(err)
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, nil, reject(err)
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, maxHeader+12))
	if err != nil {
		return nil, nil, reject(err)
	}
	return start, info, nil
}

// mapped maps the file whose header was checked, and which info describes.
func (m *Matrix) mapped(path string, info os.FileInfo, offset int) (*Matrix, error) {
	file, err := mmap.OpenRead(path)
	if err != nil {
		return nil, err
	}
	m.path, m.info, m.file = path, info, file
	// Another file may have taken the name between the two opens.
	now, err := files.Stat(path)
	if err != nil || !os.SameFile(now, info) || int64(len(file.Bytes())) != info.Size() {
		file.Close()
		return nil, m.changed()
	}
	m.data, m.Float64s = file.Bytes()[offset:], m.size == 8
	return m, nil
}

// Close unmaps the file.
func (m *Matrix) Close() error {
	m.data = nil
	return m.file.Close()
}

// Row32 copies len(dst) numbers of row i, beginning with number from, to dst and rounds them to
// float32. Numbers beyond the end of a file that was cut short are NaN (see Err).
func (m *Matrix) Row32(i, from int, dst []float32) { row(m, i, from, dst) }

// Row64 copies len(dst) numbers of row i, beginning with number from, to dst. Numbers beyond the
// end of a file that was cut short are NaN (see Err).
func (m *Matrix) Row64(i, from int, dst []float64) { row(m, i, from, dst) }

func row[T float32 | float64](m *Matrix, i, from int, dst []T) {
	if i < 0 || i >= m.Rows || from < 0 || len(dst) > m.Cols-from {
		panic(fmt.Sprintf("npy: row %d, numbers %d to %d of a %d x %d matrix", i, from,
			from+len(dst), m.Rows, m.Cols))
	}
	if len(dst) == 0 {
		return
	}
	if !guarded(m.file, dst, func() { convert(m, m.data[(i*m.down+from*m.right)*m.size:], dst) }) {
		m.lost.Store(true)
	}
}

// Gather32 writes the numbers of some rows in some columns to dst, width elements apart for each row,
// as Row32 does.
func (m *Matrix) Gather32(dst []float32, width int, rows, cols []int32) {
	gather(m, dst, width, rows, cols)
}

// Gather64 writes the numbers of some rows in some columns to dst, width elements apart for each row,
// as Row64 does.
func (m *Matrix) Gather64(dst []float64, width int, rows, cols []int32) {
	gather(m, dst, width, rows, cols)
}

// gather guards all rows at once: for a few numbers of each row the guard takes longer than they do.
func gather[T float32 | float64](m *Matrix, dst []T, width int, rows, cols []int32) {
	if len(rows) == 0 || len(cols) == 0 {
		return
	}
	if slices.Min(rows) < 0 || int(slices.Max(rows)) >= m.Rows || slices.Min(cols) < 0 ||
		int(slices.Max(cols)) >= m.Cols || width < len(cols) {
		panic(fmt.Sprintf("npy: rows %d and columns %d of a %d x %d matrix", rows, cols, m.Rows, m.Cols))
	}
	whole := guarded(m.file, dst, func() {
		first := int(cols[0])
		if !consecutive(cols) {
			pick(m, dst, width, rows, cols)
			return
		}
		for i, r := range rows {
			convert(m, m.data[(int(r)*m.down+first*m.right)*m.size:], dst[i*width:][:len(cols)])
		}
	})
	if !whole {
		m.lost.Store(true)
	}
}

// consecutive reports whether each number is the one before it plus 1.
func consecutive(cols []int32) bool {
	for j, c := range cols {
		if c != cols[0]+int32(j) {
			return false
		}
	}
	return true
}

// pick converts the numbers of rows in columns that do not lie side by side.
func pick[T float32 | float64](m *Matrix, dst []T, width int, rows, cols []int32) {
	step := m.right * m.size
	for i, r := range rows {
		data, to := m.data[int(r)*m.down*m.size:], dst[i*width:][:len(cols)]
		switch {
		case m.size == 4 && !m.big:
			for j, c := range cols {
				to[j] = T(math.Float32frombits(binary.LittleEndian.Uint32(data[step*int(c):])))
			}
		case m.size == 8 && !m.big:
			for j, c := range cols {
				to[j] = T(math.Float64frombits(binary.LittleEndian.Uint64(data[step*int(c):])))
			}
		default:
			for j, c := range cols {
				convert(m, data[step*int(c):], to[j:j+1])
			}
		}
	}
}

// convert converts the numbers of a row from data to dst.
func convert[T float32 | float64](m *Matrix, data []byte, dst []T) {
	step := m.right * m.size
	switch {
	case m.size == 4 && !m.big && step == 4: // The usual case has a loop without strides.
		data = data[:4*len(dst)]
		for j := range dst {
			dst[j] = T(math.Float32frombits(binary.LittleEndian.Uint32(data[4*j:])))
		}
	case m.size == 8 && !m.big && step == 8:
		data = data[:8*len(dst)]
		for j := range dst {
			dst[j] = T(math.Float64frombits(binary.LittleEndian.Uint64(data[8*j:])))
		}
	case m.size == 2:
		for j := range dst {
			dst[j] = T(half(m.order().Uint16(data[step*j:])))
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

// Err returns an error of class fail.Input once the file has been cut short or written to since it
// was opened, because what was read of it may come from two matrices. A file that another file
// replaced under its name is still there for the matrix, unchanged.
func (m *Matrix) Err() error {
	now, err := files.Stat(m.path)
	written := err == nil && os.SameFile(now, m.info) &&
		(now.Size() != m.info.Size() || !now.ModTime().Equal(m.info.ModTime()))
	if m.lost.Load() || written {
		return m.changed()
	}
	return nil
}

func (m *Matrix) changed() error {
	return fail.New(fail.Input, "%w", errors.New("the file changed while it was in use")).
		At(m.path, 0, 0)
}
