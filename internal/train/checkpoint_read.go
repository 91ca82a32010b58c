package train

import (
	"encoding/json"
	"unsafe"

	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// numbers reads arrays of numbers from a checkpoint. It keeps the first error and reads nothing
// after it: a caller can read many sections and look at err once.
type numbers struct {
	from *checkpoint.Saved
	err  error
}

// floats reads a section of float64 numbers.
func (r *numbers) floats(name string) []float64 { return readNumbers[float64](r, name) }

// integers reads a section of int32 numbers.
func (r *numbers) integers(name string) []int32 { return readNumbers[int32](r, name) }

// bytes reads a section as it is.
func (r *numbers) bytes(name string) []byte {
	if r.err != nil {
		return nil
	}
	b, err := r.from.Read(name)
	r.err = err
	return b
}

// has reports whether there is such a section.
func (r *numbers) has(name string) bool {
	_, ok := r.from.Length(name)
	return ok
}

// readNumbers reads a section of numbers in the byte order of the computer. A section that is
// missing is of class fail.Corrupt, and so is one whose length is not a multiple of the size of a
// number.
func readNumbers[T int32 | float32 | float64](r *numbers, name string) []T {
	length, ok := r.from.Length(name)
	size := int64(unsafe.Sizeof(*new(T)))
	if r.err == nil && (!ok || length%size != 0) {
		r.err = fail.New(fail.Corrupt, "the checkpoint has no sound section %s", name)
	}
	if r.err != nil {
		return nil
	}
	list := make([]T, length/size)
	r.err = r.from.Into(name, mmap.Bytes(list))
	return list
}

// readJSON reads a section of JSON. Text that is not JSON is of class fail.Corrupt.
func readJSON(from *checkpoint.Saved, name string, to any) error {
	text, err := from.Read(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fail.New(fail.Corrupt, "section %s of the checkpoint is damaged: %s",
			name, fail.Decoding(err))
	}
	return nil
}

// toInt32s returns indices in the form that checkpoints have: half the size of the solver's.
func toInt32s(list []int) []int32 {
	r := make([]int32, len(list))
	for k, i := range list {
		r[k] = int32(i)
	}
	return r
}

// toInts returns indices from a checkpoint in the form of the solver.
func toInts(list []int32) []int {
	r := make([]int, len(list))
	for k, i := range list {
		r[k] = int(i)
	}
	return r
}
