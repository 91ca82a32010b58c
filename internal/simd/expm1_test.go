package simd

import (
	"fmt"
	"math"
	"testing"
)

func TestExpm1Accuracy(t *testing.T) {
	each(t, testExpm1[float32], testExpm1[float64])
}

// testExpm1 checks the error relative to exp(x)-1 itself, down to the smallest x, and the error of four
// squarings. 0 and NaN stay as they are.
func testExpm1[T Real](t *testing.T) {
	rng := seeded(t)
	for _, scale := range []float64{-1, -0.37, -1e-3, -17, -1e-9, -1e6} {
		src := uniform[T](rng, 3001, 0, 1/-scale)
		for i := range src {
			src[i] *= T(math.Pow(10, float64(-(i % 7))))
		}
		src[0] = 0
		dst := make([]T, len(src))
		Expm1(dst, src, scale)
		// The scale is a number of T: its rounding, and so that of the argument, is relative.
		for times := range 5 {
			worst := 0.0
			for i, got := range dst {
				want := math.Expm1(math.Ldexp(scale*float64(src[i]), times))
				if want == 0 {
					if got != 0 {
						t.Fatalf("expm1(%v*%v) = %v", scale, src[i], got)
					}
					continue
				}
				worst = max(worst, math.Abs(float64(got)/want-1))
			}
			if bound := float64(5+3*times) * epsilon[T](); !(worst <= bound) {
				t.Errorf("scale %v, %d squarings: relative error %.3g, want %.3g", scale, times, worst, bound)
			}
			Expm1Twice(dst, dst)
		}
	}
	src := []T{T(math.NaN()), 0}
	Expm1(src, src, -1)
	if src[0] == src[0] || src[1] != 0 {
		t.Errorf("expm1 of not-a-number and 0 is %v", src)
	}
}

func TestExpm1RowsIsExpm1ThenAddRows(t *testing.T) {
	each(t, testExpm1Rows[float32], testExpm1Rows[float64])
}

func testExpm1Rows[T Real](t *testing.T) {
	rng := seeded(t)
	for _, rows := range []int{0, 1, 2, 17, 64, 65, 5000} {
		for _, kernels := range []int{0, 1, 3, 16, 17, 40} {
			if rows > 100 && kernels > 3 {
				continue
			}
			base, coef := uniform[T](rng, rows*Width, 0, 1), uniform[T](rng, rows, -1, 1)
			scale, weight := uniform[float64](rng, kernels, -1, 0), uniform[float64](rng, kernels, -1, 1)
			got := uniform[float64](rng, kernels*Width, -1, 1)
			want := append([]float64(nil), got...)
			k := make([]T, len(base))
			for m, s := range scale {
				Expm1(k, base, s)
				AddRows(want[m*Width:(m+1)*Width], k, coef, weight[m])
			}
			Expm1Rows(got, base, coef, scale, weight)
			sameBits(t, fmt.Sprintf("%d rows of %d kernels", rows, kernels), got, want)
			if kernels == 0 {
				continue
			}
			// Twice the argument, added in the same way.
			twice := append([]T(nil), k...)
			Expm1Twice(twice, k)
			AddRows(want[:Width], twice, coef, 0.3)
			Expm1TwiceRows(got[:Width], k, coef, 0.3)
			sameBits(t, fmt.Sprintf("%d rows twice", rows), got, want)
			sameBits(t, fmt.Sprintf("%d rows twice, values", rows), k, twice)
		}
	}
}

func TestExpm1SumIsExpm1ThenAddScaled(t *testing.T) {
	each(t, testExpm1Sum[float32], testExpm1Sum[float64])
}

func testExpm1Sum[T Real](t *testing.T) {
	rng := seeded(t)
	for _, n := range []int{0, 32, 96, 1 << 17} {
		for _, kernels := range []int{0, 1, 5, 33} {
			if n > 100 && kernels > 1 {
				continue
			}
			base, dst := uniform[T](rng, n, 0, 1), uniform[T](rng, n, -1, 1)
			scale, weight := uniform[float64](rng, kernels, -1, 0), uniform[float64](rng, kernels, 0, 1)
			want, k := append([]T(nil), dst...), make([]T, n)
			for m, s := range scale {
				Expm1(k, base, s)
				AddScaled(want, k, T(weight[m]))
			}
			Expm1Sum(dst, base, scale, weight)
			sameBits(t, fmt.Sprintf("%d numbers of %d kernels", n, kernels), dst, want)
		}
	}
}

func BenchmarkExpm1Rows(b *testing.B) {
	benchExpm1[float32](b, "float32")
	benchExpm1[float64](b, "float64")
}

// benchExpm1 compares the fused tiles of both functions.
func benchExpm1[T Real](b *testing.B, name string) {
	rng := seeded(b)
	const rows = 64
	base, coef := uniform[T](rng, rows*Width, 0, 1), uniform[T](rng, rows, -1, 1)
	scale, weight := uniform[float64](rng, 16, -1, 0), uniform[float64](rng, 16, -1, 1)
	g := make([]float64, 16*Width)
	for _, f := range []struct {
		name string
		sum  func(g []float64, base, coef []T, scale, weight []float64)
	}{{"exp", ExpRows[T]}, {"expm1", Expm1Rows[T]}} {
		b.Run(fmt.Sprintf("%s/%s/%s", Level(), name, f.name), func(b *testing.B) {
			n, begin := 0, cpuTime()
			for b.Loop() {
				f.sum(g, base, coef, scale, weight)
				n += len(base) * len(scale)
			}
			b.ReportMetric(float64(n)/(cpuTime()-begin).Seconds()/1e9, "Gentries/s")
		})
	}
}
