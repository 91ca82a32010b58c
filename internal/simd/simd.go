package simd

import "unsafe"

// Shape of a tile: Rows points against one panel of Width points.
const (
	Rows  = 8
	Width = 32
	tile  = Rows * Width
)

// Real is the type of the elements.
type Real interface{ float32 | float64 }

// is32 tells the two element types apart; the compiler decides it for each instantiation.
func is32[T Real]() bool {
	var z T
	return unsafe.Sizeof(z) == 4
}

// check panics when a slice has the wrong length, which only a mistake in the caller can cause.
func check(ok bool, routine string) {
	if !ok {
		panic("simd: " + routine + ": wrong slice length")
	}
}

// strands is the number of partial sums of a sparse product, and what the entries of a sparse row are padded to.
const strands = 4

// together is the number of rows that are summed in T before they join a double-precision sum; the assembly has the same.
const together = 64

// level is an instruction set, in ascending order of what it needs.
type level uint8

const (
	levelGo level = iota
	levelAVX2
	levelAVX512
)
