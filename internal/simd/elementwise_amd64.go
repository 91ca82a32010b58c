package simd

import "math"

// mapping is a function of one number in the form that the assembly takes.
type mapping[T Real] struct {
	function variant
	c        reduction[T]
	degree   int
}

// These constants are the functions. A constant plus a variant selects a routine.
const (
	mapExp        variant = 0
	mapTanh       variant = 16
	mapPower      variant = 32
	mapExpm1      variant = 48
	mapExpm1Twice variant = 64
)

// reduction holds log2(e)*scale in two parts (AVX-512 in single precision uses the first), the
// bounds of the argument for AVX2, and then gamma and coef of tanh.
type reduction[T Real] [6]T

// These are the exponents of 2 between which the arithmetic of AVX2 works. The first one gives 0,
// and the last infinity. The generator explains why.
const (
	least32, most32 = -117, 128.4
	least64, most64 = -1013, 1024.4
)

// log2eLow is log2(e) less its nearest float64.
const log2eLow = 2.0355273740931033e-17

func (c *reduction[T]) set(s float64) {
	high := s * math.Log2E
	c[0] = T(high)
	if is32[T]() {
		c[1] = T(high - float64(c[0]))
	} else {
		c[1] = T(math.FMA(s, math.Log2E, -high) + s*log2eLow)
	}
	if active == levelAVX2 {
		c.bound(s)
	}
}

// bound limits the arguments to those whose exponents the arithmetic of AVX2 can hold.
func (c *reduction[T]) bound(scale float64) {
	least, most := least64/math.Log2E, most64/math.Log2E
	if is32[T]() {
		least, most = least32/math.Log2E, most32/math.Log2E
	}
	switch {
	case scale > 0:
		c[2], c[3] = T(least/scale), T(most/scale)
	case scale < 0:
		c[2], c[3] = T(most/scale), T(least/scale)
	default:
		c[2], c[3] = T(math.Inf(-1)), T(math.Inf(1))
	}
}

func exp[T Real](dst, src []T, scale float64) {
	if active == levelGo {
		expGo(dst, src, scale)
		return
	}
	m := mapping[T]{function: mapExp}
	m.c.set(scale)
	m.run(dst, src)
}

func expm1[T Real](dst, src []T, scale float64) {
	if active == levelGo {
		expm1Go(dst, src, scale)
		return
	}
	m := mapping[T]{function: mapExpm1, c: reduction[T]{T(scale)}}
	m.run(dst, src)
}

func expm1Twice[T Real](dst, src []T) {
	if active == levelGo {
		expm1TwiceGo(dst, src)
		return
	}
	m := mapping[T]{function: mapExpm1Twice}
	m.run(dst, src)
}

func tanh[T Real](dst, src []T, gamma, coef T) {
	if active == levelGo {
		tanhGo(dst, src, gamma, coef)
		return
	}
	m := mapping[T]{function: mapTanh}
	m.c.set(2)
	m.c[4], m.c[5] = gamma, coef
	m.run(dst, src)
}

func power[T Real](dst, src []T, gamma, coef T, degree int) {
	if active == levelGo {
		powerGo(dst, src, gamma, coef, degree)
		return
	}
	m := mapping[T]{function: mapPower, c: reduction[T]{gamma, coef}, degree: degree}
	m.run(dst, src)
}

// run covers slices of any length. The rest of less than a block goes through the same instructions
// as the blocks, so a value does not depend on its place.
func (m *mapping[T]) run(dst, src []T) {
	for len(src) >= block {
		n := min(len(src), piece) &^ (block - 1)
		m.blocks(dst[:n], src[:n])
		dst, src = dst[n:], src[n:]
	}
	if len(src) > 0 {
		var buf [block]T
		copy(buf[:], src)
		m.blocks(buf[:], buf[:])
		copy(dst, buf[:])
	}
}

func (m *mapping[T]) blocks(dst, src []T) {
	c, n := m.c[:], len(src)
	switch m.function + variantOf[T]() {
	case mapExp + avx512F32:
		expF32AVX512(p32(dst), p32(src), n, p32(c))
	case mapExp + avx512F64:
		expF64AVX512(p64(dst), p64(src), n, p64(c))
	case mapExp + avx2F32:
		expF32AVX2(p32(dst), p32(src), n, p32(c))
	case mapExp + avx2F64:
		expF64AVX2(p64(dst), p64(src), n, p64(c))
	case mapTanh + avx512F32:
		tanhF32AVX512(p32(dst), p32(src), n, p32(c))
	case mapTanh + avx512F64:
		tanhF64AVX512(p64(dst), p64(src), n, p64(c))
	case mapTanh + avx2F32:
		tanhF32AVX2(p32(dst), p32(src), n, p32(c))
	case mapTanh + avx2F64:
		tanhF64AVX2(p64(dst), p64(src), n, p64(c))
	case mapPower + avx512F32:
		powerF32AVX512(p32(dst), p32(src), n, p32(c), m.degree)
	case mapPower + avx512F64:
		powerF64AVX512(p64(dst), p64(src), n, p64(c), m.degree)
	case mapPower + avx2F32:
		powerF32AVX2(p32(dst), p32(src), n, p32(c), m.degree)
	case mapPower + avx2F64:
		powerF64AVX2(p64(dst), p64(src), n, p64(c), m.degree)
	case mapExpm1 + avx512F32:
		expm1F32AVX512(p32(dst), p32(src), n, p32(c))
	case mapExpm1 + avx512F64:
		expm1F64AVX512(p64(dst), p64(src), n, p64(c))
	case mapExpm1 + avx2F32:
		expm1F32AVX2(p32(dst), p32(src), n, p32(c))
	case mapExpm1 + avx2F64:
		expm1F64AVX2(p64(dst), p64(src), n, p64(c))
	case mapExpm1Twice + avx512F32:
		expm1TwiceF32AVX512(p32(dst), p32(src), n)
	case mapExpm1Twice + avx512F64:
		expm1TwiceF64AVX512(p64(dst), p64(src), n)
	case mapExpm1Twice + avx2F32:
		expm1TwiceF32AVX2(p32(dst), p32(src), n)
	case mapExpm1Twice + avx2F64:
		expm1TwiceF64AVX2(p64(dst), p64(src), n)
	}
}
