package simd

import "math"

// evaluate covers slices of any length. The rest of less than a block goes through the same
// instructions as the blocks, so a value does not depend on its place.
func evaluate[T Real](dst, src []T, p *Pieces[T]) {
	if active == levelGo {
		evaluateGo(dst, src, p)
		return
	}
	c := [4]T{p.Shift, p.most(), fromBits[T](p.first()), fromBits[T](p.Len() - 1)}
	for len(src) >= block {
		n := min(len(src), piece) &^ (block - 1)
		evaluateBlocks(dst[:n], src[:n], &c, p)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		var buf [block]T
		copy(buf[:], src)
		evaluateBlocks(buf[:], buf[:], &c, p)
		copy(dst, buf[:])
	}
}

func evaluateBlocks[T Real](dst, src []T, c *[4]T, p *Pieces[T]) {
	n := len(src)
	switch variantOf[T]() {
	case avx512F32:
		piecesF32AVX512(p32(dst), p32(src), n, p32(c[:]), p32(p.Coef))
	case avx512F64:
		piecesF64AVX512(p64(dst), p64(src), n, p64(c[:]), p64(p.Coef))
	case avx2F32:
		piecesF32AVX2(p32(dst), p32(src), n, p32(c[:]), p32(p.Coef))
	case avx2F64:
		piecesF64AVX2(p64(dst), p64(src), n, p64(c[:]), p64(p.Coef))
	}
}

// fromBits returns the number whose representation is n, which the assembly reads back as such.
func fromBits[T Real](n int) T {
	if is32[T]() {
		return T(math.Float32frombits(uint32(n)))
	}
	return T(math.Float64frombits(uint64(n)))
}
