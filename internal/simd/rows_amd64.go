package simd

const (
	// block is what the elementwise assembly takes a multiple of.
	block = 16

	// piece and rowPiece bound one call of assembly, during which a goroutine cannot be preempted.
	piece    = 1 << 16
	rowPiece = piece / Width
)

func addRows[T Real](acc, k, coef []T) {
	if active == levelGo {
		addRowsGo(acc, k, coef)
		return
	}
	for len(coef) > 0 {
		n := min(len(coef), rowPiece)
		switch variantOf[T]() {
		case avx512F32:
			addRowsF32AVX512(p32(acc), p32(k), p32(coef), n)
		case avx512F64:
			addRowsF64AVX512(p64(acc), p64(k), p64(coef), n)
		case avx2F32:
			addRowsF32AVX2(p32(acc), p32(k), p32(coef), n)
		case avx2F64:
			addRowsF64AVX2(p64(acc), p64(k), p64(coef), n)
		}
		k, coef = k[n*Width:], coef[n:]
	}
}

func expAddRows[T Real](acc, base, coef []T, scale T) {
	if active == levelGo {
		expAddRowsGo(acc, base, coef, scale)
		return
	}
	var c reduction[T]
	c.set(scale)
	for len(coef) > 0 {
		n := min(len(coef), rowPiece)
		switch variantOf[T]() {
		case avx512F32:
			expAddRowsF32AVX512(p32(acc), p32(base), p32(coef), n, p32(c[:]))
		case avx512F64:
			expAddRowsF64AVX512(p64(acc), p64(base), p64(coef), n, p64(c[:]))
		case avx2F32:
			expAddRowsF32AVX2(p32(acc), p32(base), p32(coef), n, p32(c[:]))
		case avx2F64:
			expAddRowsF64AVX2(p64(acc), p64(base), p64(coef), n, p64(c[:]))
		}
		base, coef = base[n*Width:], coef[n:]
	}
}

func addTo[T Real](dst []float64, src []T, scale float64) {
	if active == levelGo {
		addToGo(dst, src, scale)
		return
	}
	for len(src) >= block {
		n := min(len(src), piece) &^ (block - 1)
		addToBlocks(dst[:n], src[:n], scale)
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		// The rest goes through the same instructions, so that its bits do not depend on where it stands.
		var d [block]float64
		var s [block]T
		copy(d[:], dst)
		copy(s[:], src)
		addToBlocks(d[:], s[:], scale)
		copy(dst, d[:])
	}
}

func addToBlocks[T Real](dst []float64, src []T, scale float64) {
	switch variantOf[T]() {
	case avx512F32:
		addToF32AVX512(p64(dst), p32(src), len(src), scale)
	case avx512F64:
		addToF64AVX512(p64(dst), p64(src), len(src), scale)
	case avx2F32:
		addToF32AVX2(p64(dst), p32(src), len(src), scale)
	case avx2F64:
		addToF64AVX2(p64(dst), p64(src), len(src), scale)
	}
}
