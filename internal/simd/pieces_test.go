package simd

import (
	"math"
	"math/big"
	"testing"
)

// somePieces returns a function with random coefficients, all of about the same part of the sum.
func somePieces[T Real](t testing.TB, shift T, octaves int) *Pieces[T] {
	p := &Pieces[T]{Shift: shift, Octaves: octaves}
	p.Coef = uniform[T](seeded(t), p.Len()*PieceTerms[T](), -1, 1)
	for i := range p.Coef {
		p.Coef[i] *= T(math.Ldexp(1, i%PieceTerms[T]()*(PieceBits[T]()+1)))
	}
	return p
}

// definition returns the function at x by its definition, exactly except for the sum of x and the shift.
func (p *Pieces[T]) definition(x T) float64 {
	z := float64(min(x+p.Shift, p.most()))
	fraction, exponent := math.Frexp(z)
	m, octave := 2*fraction, exponent-1
	_, first := math.Frexp(float64(p.Shift))
	per := 1 << PieceBits[T]()
	at := math.Floor((m - 1) * float64(per))
	row := (octave-(first-1))*per + int(at)
	u := new(big.Float).SetPrec(300).SetFloat64(m - (1 + (at+0.5)/float64(per)))
	sum := new(big.Float).SetPrec(300)
	for k := PieceTerms[T]() - 1; k >= 0; k-- {
		sum.Mul(sum, u)
		sum.Add(sum, new(big.Float).SetFloat64(float64(p.Coef[row*PieceTerms[T]()+k])))
	}
	v, _ := sum.Float64()
	return v
}

func TestPieces(t *testing.T) {
	each(t, testPieces[float32], testPieces[float64])
}

func testPieces[T Real](t *testing.T) {
	rng := seeded(t)
	for _, exponent := range []int{-20, -100, 0, 40} {
		for _, octaves := range []int{1, 7, 60} {
			p := somePieces(t, T(math.Ldexp(1, exponent)), octaves)
			src := []T{0, p.Shift, p.most(), 2 * p.most(), T(math.Inf(1)), p.most() - p.Shift}
			for range 2000 {
				src = append(src, T(math.Ldexp(1+rng.Float64(), exponent-10+rng.IntN(octaves+12))))
			}
			// Ends of pieces, with the numbers before and behind them.
			for i := range 3 << PieceBits[T]() {
				z := float64(p.Shift) * math.Ldexp(1+float64(i%(1<<PieceBits[T]()))/float64(int(1)<<PieceBits[T]()), i>>PieceBits[T]())
				for _, near := range []float64{1, 1 - 4*epsilon[T](), 1 + 4*epsilon[T]()} {
					src = append(src, T(max(0, z*near-float64(p.Shift))))
				}
			}
			dst := make([]T, len(src))
			p.Evaluate(dst, src)
			for i, got := range dst {
				want := p.definition(src[i])
				if e := math.Abs(float64(got) - want); !(e <= 8*epsilon[T]()) {
					t.Fatalf("shift %v, %d octaves: %v at %v, want %v", p.Shift, octaves, got, src[i], want)
				}
			}
		}
	}
}

func TestPiecesOfOther(t *testing.T) {
	each(t, testPiecesOfOther[float32], testPiecesOfOther[float64])
}

// testPiecesOfOther: NaN stays NaN, and values below 0 become 0.
func testPiecesOfOther[T Real](t *testing.T) {
	p := somePieces[T](t, 0.25, 9)
	nan := T(math.NaN())
	src := []T{nan, -nan, -1, T(math.Copysign(0, -1)), T(math.Inf(-1)), 0}
	dst := make([]T, len(src))
	p.Evaluate(dst, src)
	if dst[0] == dst[0] || dst[1] == dst[1] {
		t.Errorf("%v and %v of not-a-number", dst[0], dst[1])
	}
	for i, v := range dst[2:] {
		if v != dst[len(dst)-1] {
			t.Errorf("%v at %v, and %v at 0", v, src[2+i], dst[len(dst)-1])
		}
	}
}

func BenchmarkPieces(b *testing.B) {
	p, q := somePieces[float32](b, 1, 20), somePieces[float64](b, 1, 20)
	// Distances lie within two octaves of each other.
	benchMapOf(b, "float32", 100, 400, func(dst, src []float32) { p.Evaluate(dst, src) })
	benchMapOf(b, "float64", 100, 400, func(dst, src []float64) { q.Evaluate(dst, src) })
}
