package simd

import (
	"fmt"
	"math"
	"testing"
)

func TestExpAccuracy(t *testing.T) {
	// Single precision carries the rounding of scale*log2(e) beside its own, at every level but at most this.
	each(t, func(t *testing.T) { testExp[float32](t, 80, 5e-7, 1e-7) }, func(t *testing.T) { testExp[float64](t, 690, 2e-15, 0) })
}

// testExp checks relative errors over arguments up to span in magnitude, for several scales.
func testExp[T Real](t *testing.T, span, tolerance, slope float64) {
	rng := seeded(t)
	worst := 0.0
	for _, scale := range []float64{-1, 1, -0.37, 1.0 / 3, -1e-3, 17, -1e6, 0} {
		limit := span
		if scale != 0 {
			limit /= math.Abs(scale)
		}
		src := uniform[T](rng, 3001, -limit, limit)
		src[0] = 0
		dst := make([]T, len(src))
		Exp(dst, src, scale)
		for i, got := range dst {
			y := scale * float64(src[i])
			want := math.Exp(y)
			if !is32[T]() { // the product's rounding counts here
				want *= 1 + math.FMA(scale, float64(src[i]), -y)
			}
			bound := tolerance + slope*math.Abs(y)
			if !is32[T]() && active == levelGo {
				bound = 1.2e-13 * (1 + math.Abs(y)) / 690
			}
			e := math.Abs(float64(got)-want) / want
			if !(e <= bound) {
				t.Fatalf("exp(%v*%v) = %v, want %v, relative error %g", scale, src[i], got, want, e)
			}
			if y > -20 && y <= 0 {
				worst = max(worst, e)
			}
		}
		if dst[0] != 1 {
			t.Errorf("exp(0) = %v", dst[0])
		}
	}
	t.Logf("worst relative error on [-20,0] %.3g", worst)
	if worst > 2e-6 {
		t.Errorf("relative error %.3g on [-20,0]", worst)
	}
}

func TestExpSpecialValues(t *testing.T) {
	each(t, testExpSpecial[float32], testExpSpecial[float64])
}

func testExpSpecial[T Real](t *testing.T) {
	inf, low, high := math.Inf(1), -746.0, 709.9
	top := 709.7
	huge := math.MaxFloat64 / 4
	if is32[T]() {
		low, high, top = -104, 88.8, 88.7
		huge = math.MaxFloat32 / 4
	}
	for _, c := range []struct{ y, want float64 }{
		{math.Copysign(0, -1), 1}, {low, 0}, {2 * low, 0}, {-1e4, 0}, {-1e9, 0}, {-1e30, 0}, {-huge, 0}, {-inf, 0},
		{high, inf}, {1e4, inf}, {1e9, inf}, {1e30, inf}, {huge, inf}, {inf, inf}, {math.NaN(), math.NaN()},
		{top, math.Pow(math.Exp(float64(T(top))/2), 2)}, // math.Exp itself overflows too early
	} {
		for _, scale := range []float64{1, -1, 2, -0.5} {
			src, dst := []T{T(c.y / scale)}, []T{-1}
			Exp(dst, src, scale)
			got := float64(dst[0])
			switch {
			case math.IsNaN(c.want) && math.IsNaN(got), got == c.want && !math.Signbit(got):
			case c.y == top && math.Abs(got/c.want-1) < 5e-7+1e-7*top:
			default:
				t.Errorf("exp(%v*%v) = %v, want %v", scale, src[0], got, c.want)
			}
		}
	}
	// On the way to 0 the result may be flushed, at one place for all levels of assembly, but is never negative.
	src := make([]T, 1000)
	for i := range src {
		src[i] = T(low * (0.85 + float64(i)/5000))
	}
	dst := make([]T, len(src))
	Exp(dst, src, 1)
	for i, v := range dst {
		want := math.Exp(float64(src[i]))
		zero := active != levelGo && float64(src[i])*math.Log2E < smallestKept[T]()
		if zero && v != 0 || !zero && !(v > 0 || want < 1e-44) || float64(v) > want*(1+1e-6)+math.SmallestNonzeroFloat32 {
			t.Fatalf("exp(%v) = %v, want about %v", src[i], v, want)
		}
	}
}

// smallestKept is the binary logarithm of the smallest result that assembly does not flush to 0.
func smallestKept[T Real]() float64 {
	if is32[T]() {
		return -116.5
	}
	return -1012.5
}

func TestTanhAccuracy(t *testing.T) {
	each(t, func(t *testing.T) { testTanh[float32](t, 1e-6, 4e-6) }, func(t *testing.T) { testTanh[float64](t, 1e-13, 2e-12) })
}

// testTanh compares with math.Tanh: the absolute error, and relative to the result as far as rounding of the argument's terms lets
// it be small.
func testTanh[T Real](t *testing.T, tolerance, relative float64) {
	rng := seeded(t)
	for _, span := range []float64{1e-12, 1e-6, 1e-3, 0.1, 1, 20, 1e4, 1e30} {
		src := uniform[T](rng, 501, -span, span)
		dst := make([]T, len(src))
		for _, p := range [][2]T{{1, 0}, {0.25, -1}, {-2, 0.5}, {1e-3, 1e-7}} {
			Tanh(dst, src, p[0], p[1])
			for i, got := range dst {
				product, coef := float64(p[0])*float64(src[i]), float64(p[1])
				want := math.Tanh(product + coef)
				terms := (math.Abs(product) + math.Abs(coef)) * 2 * epsilon[T]()
				if e := math.Abs(float64(got) - want); !(e <= tolerance && e <= relative*math.Abs(want)+terms) {
					t.Fatalf("tanh(%v*%v+%v) = %v, want %v", p[0], src[i], p[1], got, want)
				}
			}
		}
	}
	src := []T{T(math.Inf(1)), T(math.Inf(-1)), T(math.NaN())}
	Tanh(src, src, 1, 0)
	if src[0] != 1 || src[1] != -1 || src[2] == src[2] {
		t.Errorf("tanh of the infinities and not-a-number is %v", src)
	}
}

func TestPower(t *testing.T) {
	each(t, testPower[float32], testPower[float64])
}

func testPower[T Real](t *testing.T) {
	rng := seeded(t)
	for _, degree := range []int{1, 2, 3, 4, 5, 7, 8, 13, 31} {
		src := uniform[T](rng, 133, -2, 2)
		dst := make([]T, len(src))
		Power(dst, src, 0.5, 0.25, degree)
		for i, got := range dst {
			base := 0.5*float64(src[i]) + 0.25
			want := math.Pow(base, float64(degree))
			// The rounding of the base is relative to its terms, not to their sum.
			slack := float64(degree) * (1 + 1.25/math.Abs(base)) * 2 * epsilon[T]()
			if e := math.Abs(float64(got) - want); !(e <= slack*math.Abs(want)*(1+slack*10)+1e-40) {
				t.Fatalf("(%v)^%d = %v, want %v", base, degree, got, want)
			}
		}
	}
}

func TestElementwiseAnywhere(t *testing.T) {
	each(t, testAnywhere[float32], testAnywhere[float64])
}

// testAnywhere calls each routine on slices of every short length and offset: an element's value must not depend on
// its neighbours, and nothing outside the slice may change. In place must work too.
func testAnywhere[T Real](t *testing.T) {
	rng := seeded(t)
	const n = 200
	src, pieces := uniform[T](rng, n, -4, 4), somePieces[T](t, 0.125, 6)
	for name, f := range map[string]func(dst, src []T){
		"Exp":        func(dst, src []T) { Exp(dst, src, -1.3) },
		"Expm1":      func(dst, src []T) { Expm1(dst, src, -0.2) },
		"Expm1Twice": func(dst, src []T) { Expm1Twice(dst, src) },
		"Tanh":       func(dst, src []T) { Tanh(dst, src, 0.3, 0.1) },
		"Power":      func(dst, src []T) { Power(dst, src, 0.3, 1, 5) },
		"Evaluate":   func(dst, src []T) { pieces.Evaluate(dst, src) },
	} {
		want := make([]T, n)
		f(want, src)
		for length := range 75 {
			for _, at := range []int{0, 1, 7, 50} {
				got := make([]T, n)
				for i := range got {
					got[i] = 77
				}
				f(got[at:at+length], src[at:at+length])
				for i, v := range got {
					expect := T(77)
					if i >= at && i < at+length {
						expect = want[i]
					}
					if bitsOf(v) != bitsOf(expect) {
						t.Fatalf("%s of %d at %d: element %d is %v, want %v", name, length, at, i, v, expect)
					}
				}
			}
		}
		f(src[:67:67], append([]T(nil), src[:67]...))
		in := uniform[T](rng, 67, -4, 4)
		out := make([]T, 67)
		f(out, in)
		f(in, in)
		sameBits(t, name+" in place", in, out)
	}
}

func BenchmarkExp(b *testing.B) {
	benchExp[float32](b, "float32")
	benchExp[float64](b, "float64")
}

func benchExp[T Real](b *testing.B, name string) {
	for _, span := range []float64{20, 100} { // the second reaches where float32 underflows
		src := uniform[T](seeded(b), 4096, -span, 0)
		dst := make([]T, len(src))
		b.Run(fmt.Sprintf("%s/%s/span=%v", Level(), name, span), func(b *testing.B) {
			n, begin := 0, cpuTime()
			for b.Loop() {
				Exp(dst, src, 1)
				n += len(src)
			}
			b.ReportMetric(float64(n)/(cpuTime()-begin).Seconds()/1e9, "Gentries/s")
		})
	}
}

func BenchmarkTanh(b *testing.B) {
	benchMap(b, "float32", func(dst, src []float32) { Tanh(dst, src, 1, 0) })
	benchMap(b, "float64", func(dst, src []float64) { Tanh(dst, src, 1, 0) })
}

func BenchmarkPower3(b *testing.B) {
	benchMap(b, "float32", func(dst, src []float32) { Power(dst, src, 1, 1, 3) })
	benchMap(b, "float64", func(dst, src []float64) { Power(dst, src, 1, 1, 3) })
}

func benchMap[T Real](b *testing.B, name string, f func(dst, src []T)) {
	benchMapOf(b, name, -2, 2, f)
}

func benchMapOf[T Real](b *testing.B, name string, lo, hi float64, f func(dst, src []T)) {
	src := uniform[T](seeded(b), 4096, lo, hi)
	dst := make([]T, len(src))
	b.Run(Level()+"/"+name, func(b *testing.B) {
		n, begin := 0, cpuTime()
		for b.Loop() {
			f(dst, src)
			n += len(src)
		}
		b.ReportMetric(float64(n)/(cpuTime()-begin).Seconds()/1e9, "Gentries/s")
	})
}
