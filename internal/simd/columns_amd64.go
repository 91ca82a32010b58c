package simd

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

func shiftPanel[T Real](dst []T, src, shift []float32, k int) {
	switch variantOf[T]() {
	case avx512F32:
		shiftF32AVX512(p32(dst), p32(src), p32(shift), k)
	case avx512F64:
		shiftF64AVX512(p64(dst), p32(src), p32(shift), k)
	case avx2F32:
		shiftF32AVX2(p32(dst), p32(src), p32(shift), k)
	case avx2F64:
		shiftF64AVX2(p64(dst), p32(src), p32(shift), k)
	default:
		shiftGo(dst, src, shift, k)
	}
}

func gather[T Real](dst []T, src, shift []float32, index []int32) {
	switch variantOf[T]() {
	case avx512F32:
		gatherF32AVX512(p32(dst), p32(src), p32(shift), unsafe.SliceData(index), len(index))
	case avx512F64:
		gatherF64AVX512(p64(dst), p32(src), p32(shift), unsafe.SliceData(index), len(index))
	case avx2F32:
		gatherF32AVX2(p32(dst), p32(src), p32(shift), unsafe.SliceData(index), len(index))
	case avx2F64:
		gatherF64AVX2(p64(dst), p32(src), p32(shift), unsafe.SliceData(index), len(index))
	default:
		gatherGo(dst, src, shift, index)
	}
}

func columnSquares[T Real](dst, x []T, k int) {
	switch variantOf[T]() {
	case avx512F32:
		columnSquaresF32AVX512(p32(dst), p32(x), k)
	case avx512F64:
		columnSquaresF64AVX512(p64(dst), p64(x), k)
	case avx2F32:
		columnSquaresF32AVX2(p32(dst), p32(x), k)
	case avx2F64:
		columnSquaresF64AVX2(p64(dst), p64(x), k)
	default:
		squaresGo(dst, x, k)
	}
}

func rowSquares[T Real](dst, a []T, k int) {
	switch variantOf[T]() {
	case avx512F32:
		rowSquaresF32AVX512(p32(dst), p32(a), k)
	case avx512F64:
		rowSquaresF64AVX512(p64(dst), p64(a), k)
	case avx2F32:
		rowSquaresF32AVX2(p32(dst), p32(a), k)
	case avx2F64:
		rowSquaresF64AVX2(p64(dst), p64(a), k)
	default:
		squaresGo(dst, a, k)
	}
}

func copyAhead[T Real](dst, src []T) {
	switch variantOf[T]() {
	case avx512F32:
		copyAheadF32AVX512(p32(dst), p32(src))
	case avx512F64:
		copyAheadF64AVX512(p64(dst), p64(src))
	case avx2F32:
		copyAheadF32AVX2(p32(dst), p32(src))
	case avx2F64:
		copyAheadF64AVX2(p64(dst), p64(src))
	default:
		copy(dst, src)
	}
}

func sparseDot[T Real](dst []T, index []int32, value, x []T) {
	switch variantOf[T]() {
	case avx512F32:
		sparseDotF32AVX512(p32(dst), unsafe.SliceData(index), p32(value), len(value), p32(x))
	case avx512F64:
		sparseDotF64AVX512(p64(dst), unsafe.SliceData(index), p64(value), len(value), p64(x))
	case avx2F32:
		sparseDotF32AVX2(p32(dst), unsafe.SliceData(index), p32(value), len(value), p32(x))
	case avx2F64:
		sparseDotF64AVX2(p64(dst), unsafe.SliceData(index), p64(value), len(value), p64(x))
	default:
		sparseDotGo(dst, index, value, x)
	}
}

func pairDots[T Real](dst, x, y []T, a, b []int32, k int) {
	first, second := unsafe.SliceData(a), unsafe.SliceData(b)
	switch variantOf[T]() {
	case avx512F32:
		pairDotsF32AVX512(p32(dst), p32(x), p32(y), first, second, k, len(dst))
	case avx512F64:
		pairDotsF64AVX512(p64(dst), p64(x), p64(y), first, second, k, len(dst))
	case avx2F32:
		pairDotsF32AVX2(p32(dst), p32(x), p32(y), first, second, k, len(dst))
	case avx2F64:
		pairDotsF64AVX2(p64(dst), p64(x), p64(y), first, second, k, len(dst))
	default:
		pairDotsGo(dst, x, y, a, b, k)
	}
}

func sparseSquare[T Real](dst, value []T) {
	switch variantOf[T]() {
	case avx512F32:
		sparseSquareF32AVX512(p32(dst), p32(value), len(value))
	case avx512F64:
		sparseSquareF64AVX512(p64(dst), p64(value), len(value))
	case avx2F32:
		sparseSquareF32AVX2(p32(dst), p32(value), len(value))
	case avx2F64:
		sparseSquareF64AVX2(p64(dst), p64(value), len(value))
	default:
		sparseSquareGo(dst, value)
	}
}

// runsOfBits reports whether the processor counts and shifts bits in vectors, which not every one
// with AVX-512 does.
var runsOfBits = cpu.X86.HasAVX512VPOPCNTDQ && cpu.X86.HasAVX512VBMI2

func matches(counts []int64, x, z, m []uint64, words, planes int) {
	if active == levelAVX512 && runsOfBits {
		matchesAVX512(unsafe.SliceData(counts), unsafe.SliceData(x), unsafe.SliceData(z),
			unsafe.SliceData(m), words, planes, len(counts)/Width)
		return
	}
	matchesGo(counts, x, z, m, words, planes)
}
