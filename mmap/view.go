package mmap

import "unsafe"

// Number is an element type that memory can be viewed as.
type Number interface {
	float32 | float64 | int32 | int64 | uint64
}

// View is the whole map as numbers, without copying. Up to seven bytes at the end that make no whole number are left
// out: whoever maps a file compares its length with what the format asks for.
func View[T Number](m *Map) []T { return Slice[T](m.Bytes()) }

// Slice is View for a part of a map, which must start at a multiple of the element's size.
func Slice[T Number](b []byte) []T {
	size := unsafe.Sizeof(*new(T))
	n := len(b) / int(size)
	if n == 0 {
		return nil
	}
	start := unsafe.Pointer(unsafe.SliceData(b))
	if uintptr(start)%size != 0 {
		panic("mmap: view of unaligned memory")
	}
	return unsafe.Slice((*T)(start), n)
}

// Bytes is the memory of a slice of numbers, without copying: the inverse of Slice.
func Bytes[T Number](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}
