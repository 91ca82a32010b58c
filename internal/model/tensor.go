package model

import (
	"encoding/binary"
	"io"
	"math"
	"slices"
	"unsafe"

	"bigmkl/mmap"
)

// field connects a tensor with the slice of a model that holds its elements or will hold them.
// Exactly one of the pointers is set.
type field struct {
	name string
	// f64 is a matrix if columns is set.
	f64 *[]float64
	// f32 is a matrix of that many columns.
	f32 *[]float32
	// If rows is set, it replaces f32 with count rows that it writes one by one.
	rows    func(s int, dst []float32)
	count   int
	i64     *[]int64
	i32     *[]int32
	u8      *[]byte
	columns int64
}

// length returns the number of elements and whether the tensor exists.
func (f *field) length() (int64, bool) {
	switch {
	case f.f64 != nil:
		return int64(len(*f.f64)), *f.f64 != nil
	case f.rows != nil:
		return int64(f.count) * f.columns, true
	case f.f32 != nil:
		return int64(len(*f.f32)), *f.f32 != nil
	case f.i64 != nil:
		return int64(len(*f.i64)), *f.i64 != nil
	case f.i32 != nil:
		return int64(len(*f.i32)), *f.i32 != nil
	}
	return int64(len(*f.u8)), *f.u8 != nil
}

// shape returns the dimensions of a tensor of n elements.
func (f *field) shape(n int64) []int64 {
	if !kindOf(f.name).matrix {
		return []int64{n}
	}
	return []int64{n / max(f.columns, 1), f.columns}
}

// chunk is the number of elements that are converted at a time.
const chunk = 8192

// write writes the elements in little-endian order.
func (f *field) write(w io.Writer) error {
	switch {
	case f.f64 != nil:
		return put(w, *f.f64, func(b []byte, v float64) []byte {
			return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		})
	case f.rows != nil:
		row := make([]float32, f.columns)
		for s := range f.count {
			f.rows(s, row)
			if err := put(w, row, float32Bytes); err != nil {
				return err
			}
		}
		return nil
	case f.f32 != nil:
		return put(w, *f.f32, float32Bytes)
	case f.i64 != nil:
		return put(w, *f.i64, func(b []byte, v int64) []byte {
			return binary.LittleEndian.AppendUint64(b, uint64(v))
		})
	case f.i32 != nil:
		return put(w, *f.i32, func(b []byte, v int32) []byte {
			return binary.LittleEndian.AppendUint32(b, uint32(v))
		})
	}
	_, err := w.Write(*f.u8)
	return err
}

func float32Bytes(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

func put[T any](w io.Writer, values []T, app func([]byte, T) []byte) error {
	buf := make([]byte, 0, 8*min(chunk, len(values)))
	for part := range slices.Chunk(values, chunk) {
		buf = buf[:0]
		for _, v := range part {
			buf = app(buf, v)
		}
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// read allocates n elements and reads them. The caller has checked n against the size of the file.
func (f *field) read(r io.Reader, n int64) error {
	switch {
	case f.f64 != nil:
		return get(r, f.f64, n, 8, func(b []byte) float64 {
			return math.Float64frombits(binary.LittleEndian.Uint64(b))
		})
	case f.f32 != nil:
		return get(r, f.f32, n, 4, func(b []byte) float32 {
			return math.Float32frombits(binary.LittleEndian.Uint32(b))
		})
	case f.i64 != nil:
		return get(r, f.i64, n, 8, func(b []byte) int64 {
			return int64(binary.LittleEndian.Uint64(b))
		})
	case f.i32 != nil:
		return get(r, f.i32, n, 4, func(b []byte) int32 {
			return int32(binary.LittleEndian.Uint32(b))
		})
	}
	*f.u8 = make([]byte, n)
	_, err := io.ReadFull(r, *f.u8)
	return err
}

// view uses memory itself as the elements. It returns false if that is impossible, because files of
// other programs need not be aligned.
func (f *field) view(memory []byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(memory)))
	if len(memory) == 0 || at%4 != 0 || f.i64 != nil && at%8 != 0 {
		return false
	}
	switch {
	case f.f32 != nil:
		*f.f32 = mmap.Slice[float32](memory)
	case f.i32 != nil:
		*f.i32 = mmap.Slice[int32](memory)
	default:
		*f.i64 = mmap.Slice[int64](memory)
	}
	return true
}

func get[T any](r io.Reader, dst *[]T, n int64, size int, value func([]byte) T) error {
	out := make([]T, n)
	*dst = out
	buf := make([]byte, size*int(min(chunk, n)))
	for len(out) > 0 {
		k := min(chunk, len(out))
		if _, err := io.ReadFull(r, buf[:k*size]); err != nil {
			return err
		}
		for i := range k {
			out[i] = value(buf[i*size:])
		}
		out = out[k:]
	}
	return nil
}
