package mmap

import "unsafe"

// Number is a type of elements as which memory can be viewed.
type Number interface {
	float32 | float64 | int32 | int64 | uint64
}

// View returns the whole map as numbers, without copying. It leaves out up to seven bytes at the
// end that do not make a whole number. A caller that maps a file has to compare its length with
// what the format demands.
func View[T Number](m *Map) []T { return Slice[T](m.Bytes()) }

// Slice returns a part of a map as numbers, without copying. The part must start at a multiple of
// the element's size.
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

// Bytes returns the memory of a slice of numbers, without copying. It is the inverse of Slice.
func Bytes[T Number](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))),
		len(s)*int(unsafe.Sizeof(*new(T))))
}
