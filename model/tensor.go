package model

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"unsafe"

	"bigmkl/mmap"
)

// tensor is one entry of the header.
type tensor struct {
	Dtype   string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// dtypes are the tensors of the format.
var dtypes = map[string]string{
	"theta": "F64", "w_norms": "F64", "alpha": "F64", "normalizer": "F64", "normalizer_error": "F64", "medians": "F64",
	"scaling_factor": "F64", "scaling_offset": "F64", "interaction": "F64", "weights": "F64", "class_weights": "F64", "machine_numbers": "F64",
	"sigmoids":        "F64",
	"machine_classes": "I32", "machine_support": "I32", "support": "I32", "vectors": "F32", "settings": "U8",
	"vector_start": "I64", "vector_index": "I32", "vector_value": "F32",
}

// matrices are the tensors of two dimensions.
var matrices = map[string]bool{"vectors": true, "interaction": true, "sigmoids": true}

// long are the tensors with a number for each value of a support vector that is not zero: these may be more than rows can be.
var long = map[string]bool{"vector_index": true, "vector_value": true}

// vectors are the tensors of support vectors, which are most of a file.
var vectors = map[string]bool{"vectors": true, "vector_start": true, "vector_index": true, "vector_value": true}

var dtypeSize = map[string]int64{"F64": 8, "I64": 8, "F32": 4, "I32": 4, "U8": 1}

// field is a tensor of a model: where its values are, or will be. One pointer is set.
type field struct {
	name    string
	f64     *[]float64                 // a matrix where there are columns
	f32     *[]float32                 // a matrix of columns
	rows    func(s int, dst []float32) // or so many of its rows
	count   int
	i64     *[]int64
	i32     *[]int32
	u8      *[]byte
	columns int64
}

// fields lists the tensors in the order they are written: 8-byte elements first, so that each is aligned. text is what does
// not fit the header, p the machines of a model of several, whose weights and dual variables take the place of its own.
func (m *Model) fields(text *[]byte, p *packed) []field {
	theta, norms, alpha := &m.Theta, &m.WNorms, &m.Alpha
	if m.Several() {
		theta, norms, alpha = &p.theta, &p.norms, &p.dual
	}
	return []field{
		{name: "theta", f64: theta},
		{name: "w_norms", f64: norms},
		{name: "alpha", f64: alpha},
		{name: "normalizer", f64: &m.Normalization.Scale},
		{name: "normalizer_error", f64: &m.Normalization.StandardError},
		{name: "medians", f64: &m.Medians},
		{name: "scaling_factor", f64: &m.Scaling.Factor},
		{name: "scaling_offset", f64: &m.Scaling.Offset},
		{name: "interaction", f64: &m.Interaction, columns: int64(m.Len())},
		{name: "weights", f64: &m.Weights},
		{name: "class_weights", f64: &m.ClassWeights},
		{name: "machine_numbers", f64: &p.numbers},
		{name: "sigmoids", f64: &p.sigmoids, columns: 2},
		{name: "vector_start", i64: &p.sparse.Start},
		{name: "machine_classes", i32: &p.classes},
		{name: "machine_support", i32: &p.support},
		{name: "support", i32: &m.Support},
		{name: "vectors", f32: &m.Vectors, rows: m.Rows, count: len(m.Support), columns: int64(m.Features)},
		{name: "vector_index", i32: &p.sparse.Index},
		{name: "vector_value", f32: &p.sparse.Value},
		{name: "settings", u8: text},
	}
}

// length gives the number of elements and whether the tensor is there at all.
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

// shape gives the dimensions of a tensor of n elements.
func (f *field) shape(n int64) []int64 {
	if !matrices[f.name] {
		return []int64{n}
	}
	return []int64{n / max(f.columns, 1), f.columns}
}

// chunk is the number of elements converted at a time.
const chunk = 8192

// write writes the elements in little-endian order.
func (f *field) write(w io.Writer) error {
	switch {
	case f.f64 != nil:
		return put(w, *f.f64, func(b []byte, v float64) []byte { return binary.LittleEndian.AppendUint64(b, math.Float64bits(v)) })
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
		return put(w, *f.i64, func(b []byte, v int64) []byte { return binary.LittleEndian.AppendUint64(b, uint64(v)) })
	case f.i32 != nil:
		return put(w, *f.i32, func(b []byte, v int32) []byte { return binary.LittleEndian.AppendUint32(b, uint32(v)) })
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

// read allocates n elements, which the caller has checked against the size of the file, and reads them.
func (f *field) read(r io.Reader, n int64) error {
	switch {
	case f.f64 != nil:
		return get(r, f.f64, n, 8, func(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) })
	case f.f32 != nil:
		return get(r, f.f32, n, 4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) })
	case f.i64 != nil:
		return get(r, f.i64, n, 8, func(b []byte) int64 { return int64(binary.LittleEndian.Uint64(b)) })
	case f.i32 != nil:
		return get(r, f.i32, n, 4, func(b []byte) int32 { return int32(binary.LittleEndian.Uint32(b)) })
	}
	*f.u8 = make([]byte, n)
	_, err := io.ReadFull(r, *f.u8)
	return err
}

// view makes memory the elements, as they are, and reports false where that cannot be: files of other writers need not be aligned.
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

// checkTensors verifies that the tensors are known, that shapes and offsets agree and that they cover body bytes without a
// hole, and gives their names in file order. Every number is checked before arithmetic that could overflow.
func checkTensors(all map[string]tensor, body int64) ([]string, error) {
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		x, y := all[a].Offsets, all[b].Offsets
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(a, b))
	})
	at := int64(0)
	for _, name := range names {
		t := all[name]
		if err := t.check(name, body); err != nil {
			return nil, err
		}
		if t.Offsets[0] != at {
			return nil, fmt.Errorf("a hole or an overlap before tensor %s", name)
		}
		at = t.Offsets[1]
	}
	if at != body {
		return nil, fmt.Errorf("the tensors end at byte %d of %d", at, body)
	}
	return names, nil
}

// check verifies one tensor by itself.
func (t tensor) check(name string, body int64) error {
	dtype, ok := dtypes[name]
	if !ok {
		return fmt.Errorf("unknown tensor %s", clip(name))
	}
	if t.Dtype != dtype {
		return fmt.Errorf("tensor %s is %s, not %s", name, clip(t.Dtype), dtype)
	}
	rank := 1
	if matrices[name] {
		rank = 2
	}
	if len(t.Shape) != rank {
		return fmt.Errorf("tensor %s has %d dimensions, not %d", name, len(t.Shape), rank)
	}
	begin, end := t.Offsets[0], t.Offsets[1]
	if begin < 0 || end < begin || end > body {
		return fmt.Errorf("tensor %s lies outside the file", name)
	}
	bytes := dtypeSize[dtype]
	for _, n := range t.Shape {
		if n < 0 || n > math.MaxInt32 && !long[name] || n > 0 && bytes > math.MaxInt64/n {
			return fmt.Errorf("tensor %s has an impossible shape", name)
		}
		bytes *= n
	}
	if name == "settings" && bytes > maxSettings {
		return fmt.Errorf("%d bytes of settings", bytes)
	}
	if bytes != end-begin {
		return fmt.Errorf("tensor %s has %d bytes and a shape of %d", name, end-begin, bytes)
	}
	return nil
}
