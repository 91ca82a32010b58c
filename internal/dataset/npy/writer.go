package npy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"bigmkl/internal/atomicfile"
)

// Writer writes a .npy file row by row. The file gets its name when Close succeeds. Until then, and
// after Abort, there is none.
type Writer struct {
	file       *atomicfile.File
	out        *bufio.Writer
	rows, cols int
	written    int
	float64s   bool
	buf        []byte
}

var _ io.Closer = (*Writer)(nil)

// Create starts a file of rows x cols numbers, float64 or float32, in C order. It panics if a size
// is negative.
func Create(path string, rows, cols int, float64s bool) (*Writer, error) {
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("npy: a %d x %d matrix", rows, cols))
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	w := &Writer{file: f, out: bufio.NewWriterSize(f, 1<<18), rows: rows, cols: cols,
		float64s: float64s}
	if _, err := w.out.Write(formatHeader(rows, cols, float64s)); err != nil {
		f.Abort()
		return nil, err
	}
	return w, nil
}

// WriteRow32 appends a row. It panics if the length is not that of a row or if all rows were
// written.
func (w *Writer) WriteRow32(row []float32) error { return writeRow(w, row) }

// WriteRow64 appends a row and rounds it to float32 if the file holds float32. It panics as
// WriteRow32 does.
func (w *Writer) WriteRow64(row []float64) error { return writeRow(w, row) }

func writeRow[T float32 | float64](w *Writer, row []T) error {
	if len(row) != w.cols || w.written == w.rows {
		panic(fmt.Sprintf("npy: row %d of %d numbers in a %d x %d matrix", w.written, len(row),
			w.rows, w.cols))
	}
	w.written++
	w.buf = w.buf[:0]
	if w.float64s {
		for _, v := range row {
			w.buf = binary.LittleEndian.AppendUint64(w.buf, math.Float64bits(float64(v)))
		}
	} else {
		for _, v := range row {
			w.buf = binary.LittleEndian.AppendUint32(w.buf, math.Float32bits(float32(v)))
		}
	}
	_, err := w.out.Write(w.buf)
	return err
}

// Close finishes the file and gives it its name. It panics unless all rows were written.
func (w *Writer) Close() error {
	defer w.file.Abort()
	if w.written != w.rows {
		panic(fmt.Sprintf("npy: %d of %d rows were written", w.written, w.rows))
	}
	if err := w.out.Flush(); err != nil {
		return err
	}
	return w.file.Commit()
}

// Abort discards the file. After Close it does nothing.
func (w *Writer) Abort() { w.file.Abort() }
