package simd

import (
	"math"
	"unsafe"
)

// Pieces is a function of one number x >= 0 as polynomials on the pieces of a range. With
//
//	z = min(x + Shift, Shift * 2^Octaves),    z = 2^e * m,  1 <= m < 2,
//
// the leading bits of the mantissa m select which of the equal pieces of its octave z lies in,
// and the polynomial is one in m less the middle of its piece. So a piece is found without a
// search, and pieces are as wide as x is large, down to those of width Shift/2^bits beside 0. The
// last piece is the point where z ends, and covers every larger x.
type Pieces[T Real] struct {
	// Shift is a power of 2. Shift and Shift*2^Octaves are normal numbers of type T.
	Shift   T
	Octaves int
	// Coef holds the coefficients of every piece in ascending powers, [piece][terms].
	Coef []T
}

// PieceTerms returns the number of coefficients of a piece, and PieceBits the binary logarithm of
// the number of pieces of an octave. A row of coefficients takes 16 bytes in float32, and 64 in
// float64.
func PieceTerms[T Real]() int {
	if is32[T]() {
		return 1 << termBits32
	}
	return 1 << termBits64
}

// PieceBits is described with PieceTerms.
func PieceBits[T Real]() int {
	if is32[T]() {
		return pieceBits32
	}
	return pieceBits64
}

// These constants describe pieces of both types. The assembly has the same numbers.
const (
	termBits32, pieceBits32 = 2, 5
	termBits64, pieceBits64 = 3, 4
	mantissa32, mantissa64  = 23, 52
)

// Len returns the number of pieces.
func (p *Pieces[T]) Len() int { return p.Octaves<<PieceBits[T]() + 1 }

// first returns the number that the leading bits of the Shift make, which is the number of
// piece 0.
func (p *Pieces[T]) first() int {
	if is32[T]() {
		return int(math.Float32bits(float32(p.Shift)) >> (mantissa32 - pieceBits32))
	}
	return int(math.Float64bits(float64(p.Shift)) >> (mantissa64 - pieceBits64))
}

// most returns the largest z.
func (p *Pieces[T]) most() T { return T(math.Ldexp(float64(p.Shift), p.Octaves)) }

// Evaluate sets dst[i] to the function at src[i]. Slices may have any length, and may be the same.
// Numbers below 0 are taken as 0.
func (p *Pieces[T]) Evaluate(dst, src []T) {
	check(len(dst) == len(src) && len(p.Coef) == p.Len()*PieceTerms[T](), "Evaluate")
	evaluate(dst, src, p)
}

// evaluateGo is the plain Go version of Evaluate.
func evaluateGo[T Real](dst, src []T, p *Pieces[T]) {
	if is32[T]() {
		// The element types are the same, which the compiler does not know.
		evaluate32(*(*[]float32)(unsafe.Pointer(&dst)), *(*[]float32)(unsafe.Pointer(&src)),
			(*Pieces[float32])(unsafe.Pointer(p)))
		return
	}
	evaluate64(*(*[]float64)(unsafe.Pointer(&dst)), *(*[]float64)(unsafe.Pointer(&src)),
		(*Pieces[float64])(unsafe.Pointer(p)))
}

func evaluate32(dst, src []float32, p *Pieces[float32]) {
	const (
		drop = mantissa32 - pieceBits32
		one  = 127 << mantissa32
		low  = 1<<drop - 1
		half = 1 << (drop - 1)
	)
	first, most, last := uint32(p.first()), p.most(), uint32(p.Len()-1)
	for i, x := range src {
		z := p.Shift + max(x, 0) // The maximum of NaN and 0 is NaN.
		z = min(z, most)
		bits := math.Float32bits(z)
		// NaN has no piece; the difference z-z below makes the result NaN.
		c := (*[1 << termBits32]float32)(p.Coef[min(bits>>drop-first, last)<<termBits32:])
		m := bits&(1<<mantissa32-1) | one
		t := math.Float32frombits(m) - math.Float32frombits(m&^low|half)
		t += z - z
		y := float32(c[3]*t) + c[2]
		y = float32(y*t) + c[1]
		dst[i] = float32(y*t) + c[0]
	}
}

func evaluate64(dst, src []float64, p *Pieces[float64]) {
	const (
		drop = mantissa64 - pieceBits64
		one  = 1023 << mantissa64
		low  = 1<<drop - 1
		half = 1 << (drop - 1)
	)
	first, most, last := uint64(p.first()), p.most(), uint64(p.Len()-1)
	for i, x := range src {
		z := min(p.Shift+max(x, 0), most)
		bits := math.Float64bits(z)
		c := (*[1 << termBits64]float64)(p.Coef[min(bits>>drop-first, last)<<termBits64:])
		m := bits&(1<<mantissa64-1) | one
		t := math.Float64frombits(m) - math.Float64frombits(m&^low|half)
		t += z - z
		y := float64(c[7]*t) + c[6]
		y = float64(y*t) + c[5]
		y = float64(y*t) + c[4]
		y = float64(y*t) + c[3]
		y = float64(y*t) + c[2]
		y = float64(y*t) + c[1]
		dst[i] = float64(y*t) + c[0]
	}
}
