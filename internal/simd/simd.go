package simd

import "unsafe"

// These constants give the shape of a tile: Rows points against one panel of Width points.
const (
	Rows  = 8
	Width = 32
	tile  = Rows * Width
)

// Real is the type of the elements.
type Real interface{ float32 | float64 }

// is32 reports whether T is float32. The compiler decides it for each instantiation.
func is32[T Real]() bool {
	var z T
	return unsafe.Sizeof(z) == 4
}

// check panics if a slice has the wrong length, which only a mistake in the caller can cause.
func check(ok bool, routine string) {
	if !ok {
		panic("simd: " + routine + ": wrong slice length")
	}
}

// strands is the number of partial sums of a sparse product. Sparse rows are padded to a multiple
// of it.
const strands = 4

// together is the number of rows that are summed in T before they are added to a double-precision
// sum. The assembly has the same number.
const together = 64

// level is an instruction set. The levels ascend in what they need.
type level uint8

const (
	levelGo level = iota
	levelAVX2
	levelAVX512
)
