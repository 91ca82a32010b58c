package train

import (
	"encoding/json"
	"unsafe"

	"bigmkl/internal/checkpoint"
	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// numbers reads arrays and keeps the first error.
type numbers struct {
	from *checkpoint.Saved
	err  error
}

func (r *numbers) floats(name string) []float64 { return readNumbers[float64](r, name) }

func (r *numbers) integers(name string) []int32 { return readNumbers[int32](r, name) }

func (r *numbers) bytes(name string) []byte {
	if r.err != nil {
		return nil
	}
	b, err := r.from.Read(name)
	r.err = err
	return b
}

// has tells whether there is such a section.
func (r *numbers) has(name string) bool {
	_, ok := r.from.Length(name)
	return ok
}

func readNumbers[T int32 | float64](r *numbers, name string) []T {
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

func readJSON(from *checkpoint.Saved, name string, to any) error {
	text, err := from.Read(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fail.New(fail.Corrupt, "section %s of the checkpoint is damaged: %s", name, fail.Decoding(err))
	}
	return nil
}

func toInt32s(list []int) []int32 {
	r := make([]int32, len(list))
	for k, i := range list {
		r[k] = int32(i)
	}
	return r
}

func toInts(list []int32) []int {
	r := make([]int, len(list))
	for k, i := range list {
		r[k] = int(i)
	}
	return r
}
