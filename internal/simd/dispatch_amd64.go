package simd

import (
	"unsafe"
)

// variant combines a level with an element type. Values without a name mean plain Go.
type variant uint8

const (
	avx2F32   = variant(2 * levelAVX2)
	avx2F64   = avx2F32 + 1
	avx512F32 = variant(2 * levelAVX512)
	avx512F64 = avx512F32 + 1
)

func variantOf[T Real]() variant {
	if is32[T]() {
		return variant(2 * active)
	}
	return variant(2*active) + 1
}

// p32 and p64 return the address of a slice whose elements have that size. The variant of T
// guarantees the size.
func p32[T Real](s []T) *float32 { return (*float32)(unsafe.Pointer(unsafe.SliceData(s))) }
func p64[T Real](s []T) *float64 { return (*float64)(unsafe.Pointer(unsafe.SliceData(s))) }

// The switches call each routine by name and not through a table of functions. So the compiler
// knows that no pointer is retained, and callers may have their tiles on the stack.

func dot[T Real](dst, a, x []T, k, blocks int) {
	switch variantOf[T]() {
	case avx512F32:
		dotF32AVX512(p32(dst), p32(a), p32(x), k, blocks)
	case avx512F64:
		dotF64AVX512(p64(dst), p64(a), p64(x), k, blocks)
	case avx2F32:
		dotF32AVX2(p32(dst), p32(a), p32(x), k, blocks)
	case avx2F64:
		dotF64AVX2(p64(dst), p64(a), p64(x), k, blocks)
	default:
		eachBlock(dst, a, k, blocks, func(dst, a []T) { dotGo(dst, a, x, k) })
	}
}

func dotMore[T Real](dst, a, x []T, k int, ahead []T) {
	switch variantOf[T]() {
	case avx512F32:
		dotMoreF32AVX512(p32(dst), p32(a), p32(x), k, p32(ahead), min(k, len(ahead)/16))
	case avx512F64:
		dotMoreF64AVX512(p64(dst), p64(a), p64(x), k, p64(ahead), min(k, len(ahead)/8))
	case avx2F32:
		dotMoreF32AVX2(p32(dst), p32(a), p32(x), k, p32(ahead), min(k, len(ahead)/16))
	case avx2F64:
		dotMoreF64AVX2(p64(dst), p64(a), p64(x), k, p64(ahead), min(k, len(ahead)/8))
	default:
		dotMoreGo(dst, a, x, k)
	}
}

func distance[T Real](dst, a, x []T, k, blocks int, na, nx []T) {
	switch variantOf[T]() {
	case avx512F32:
		distanceF32AVX512(p32(dst), p32(a), p32(x), k, blocks, p32(na), p32(nx))
	case avx512F64:
		distanceF64AVX512(p64(dst), p64(a), p64(x), k, blocks, p64(na), p64(nx))
	case avx2F32:
		distanceF32AVX2(p32(dst), p32(a), p32(x), k, blocks, p32(na), p32(nx))
	case avx2F64:
		distanceF64AVX2(p64(dst), p64(a), p64(x), k, blocks, p64(na), p64(nx))
	default:
		distanceGo(dst, a, x, k, blocks, na, nx)
	}
}

func squaredDiff[T Real](dst, a, x []T, k, blocks int) {
	switch variantOf[T]() {
	case avx512F32:
		squaredDiffF32AVX512(p32(dst), p32(a), p32(x), k, blocks)
	case avx512F64:
		squaredDiffF64AVX512(p64(dst), p64(a), p64(x), k, blocks)
	case avx2F32:
		squaredDiffF32AVX2(p32(dst), p32(a), p32(x), k, blocks)
	case avx2F64:
		squaredDiffF64AVX2(p64(dst), p64(a), p64(x), k, blocks)
	default:
		eachBlock(dst, a, k, blocks, func(dst, a []T) { squaredDiffGo(dst, a, x, k) })
	}
}

func absDiff[T Real](dst, a, x []T, k, blocks int) {
	switch variantOf[T]() {
	case avx512F32:
		absDiffF32AVX512(p32(dst), p32(a), p32(x), k, blocks)
	case avx512F64:
		absDiffF64AVX512(p64(dst), p64(a), p64(x), k, blocks)
	case avx2F32:
		absDiffF32AVX2(p32(dst), p32(a), p32(x), k, blocks)
	case avx2F64:
		absDiffF64AVX2(p64(dst), p64(a), p64(x), k, blocks)
	default:
		eachBlock(dst, a, k, blocks, func(dst, a []T) { absDiffGo(dst, a, x, k) })
	}
}

func chiSquare[T Real](dst, a, x []T, k, blocks int) {
	switch variantOf[T]() {
	case avx512F32:
		chiSquareF32AVX512(p32(dst), p32(a), p32(x), k, blocks)
	case avx512F64:
		chiSquareF64AVX512(p64(dst), p64(a), p64(x), k, blocks)
	case avx2F32:
		chiSquareF32AVX2(p32(dst), p32(a), p32(x), k, blocks)
	case avx2F64:
		chiSquareF64AVX2(p64(dst), p64(a), p64(x), k, blocks)
	default:
		eachBlock(dst, a, k, blocks, func(dst, a []T) { chiSquareGo(dst, a, x, k) })
	}
}

func minSum[T Real](dst, a, x []T, k, blocks int) {
	switch variantOf[T]() {
	case avx512F32:
		minSumF32AVX512(p32(dst), p32(a), p32(x), k, blocks)
	case avx512F64:
		minSumF64AVX512(p64(dst), p64(a), p64(x), k, blocks)
	case avx2F32:
		minSumF32AVX2(p32(dst), p32(a), p32(x), k, blocks)
	case avx2F64:
		minSumF64AVX2(p64(dst), p64(a), p64(x), k, blocks)
	default:
		eachBlock(dst, a, k, blocks, func(dst, a []T) { minSumGo(dst, a, x, k) })
	}
}

func distanceFromDot[T Real](t, na, nx []T) {
	switch variantOf[T]() {
	case avx512F32:
		distanceFromDotF32AVX512(p32(t), p32(na), p32(nx))
	case avx512F64:
		distanceFromDotF64AVX512(p64(t), p64(na), p64(nx))
	case avx2F32:
		distanceFromDotF32AVX2(p32(t), p32(na), p32(nx))
	case avx2F64:
		distanceFromDotF64AVX2(p64(t), p64(na), p64(nx))
	default:
		distanceFromDotGo(t, na, nx)
	}
}

const (
	// block divides the number of elements that elementwise assembly takes.
	block = 16

	// piece is the largest number of elements of one call of assembly, during which a goroutine
	// cannot be preempted.
	piece    = 1 << 16
	rowPiece = piece / Width

	// batch is the number of kernels of one call.
	batch = 16
)
