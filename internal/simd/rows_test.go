package simd

import (
	"fmt"
	"math"
	"testing"
)

func TestAddRows(t *testing.T) {
	each(t, testAddRows[float32], testAddRows[float64])
}

func testAddRows[T Real](t *testing.T) {
	rng := seeded(t)
	const weight = -0.7
	for _, rows := range []int{0, 1, 2, 8, 9, 63, 64, 65, 200, 5000} {
		k, coef, g := uniform[T](rng, rows*Width, 0, 1), uniform[T](rng, rows, -1, 1), uniform[float64](rng, Width+1, -1, 1)
		want, size := make([]float64, Width), make([]float64, Width)
		for j := range want {
			want[j] = g[j]
			size[j] = math.Abs(want[j])
			for r := range rows {
				v := weight * float64(coef[r]) * float64(k[r*Width+j])
				want[j] += v
				size[j] += math.Abs(v)
			}
		}
		end := g[Width]
		AddRows(g[:Width], k, coef, weight)
		for j, v := range want {
			if e := math.Abs(g[j] - v); !(e <= 70*2*epsilon[T]()*size[j]) {
				t.Fatalf("%d rows: column %d is %v, want %v", rows, j, g[j], v)
			}
		}
		if g[Width] != end {
			t.Fatal("wrote past the end")
		}
	}
}

func TestSquareRowsIsSquaresThenAddRows(t *testing.T) {
	each(t, testSquareRows[float32], testSquareRows[float64])
}

func testSquareRows[T Real](t *testing.T) {
	rng := seeded(t)
	for _, rows := range []int{0, 1, 9, 64, 65, 2100} {
		k, coef := uniform[T](rng, rows*Width, 0, 1), uniform[T](rng, rows, -1, 1)
		squares := make([]T, len(k))
		for i, v := range k {
			squares[i] = v * v
		}
		got := uniform[float64](rng, Width, -1, 1)
		want := append([]float64(nil), got...)
		AddRows(want, squares, coef, 0.3)
		SquareRows(got, k, coef, 0.3)
		sameBits(t, fmt.Sprintf("%d rows", rows), got, want)
		sameBits(t, fmt.Sprintf("%d rows, squares", rows), k, squares)
	}
}

func TestExpRowsIsExpThenAddRows(t *testing.T) {
	each(t, testExpRows[float32], testExpRows[float64])
}

func testExpRows[T Real](t *testing.T) {
	rng := seeded(t)
	for _, rows := range []int{0, 1, 2, 17, 64, 65, 5000} {
		for _, kernels := range []int{0, 1, 3, 16, 17, 40} {
			if rows > 100 && kernels > 3 {
				continue
			}
			for _, span := range []float64{1, 80, 1000, 1e30} {
				base, coef := uniform[T](rng, rows*Width, 0, span), uniform[T](rng, rows, -1, 1)
				scale, weight := uniform[float64](rng, kernels, -1, 0), uniform[float64](rng, kernels, -1, 1)
				got := uniform[float64](rng, kernels*Width, -1, 1)
				want := append([]float64(nil), got...)
				k := make([]T, len(base))
				for m, s := range scale {
					Exp(k, base, s)
					AddRows(want[m*Width:(m+1)*Width], k, coef, weight[m])
				}
				ExpRows(got, base, coef, scale, weight)
				sameBits(t, fmt.Sprintf("%d rows of %d kernels up to %v", rows, kernels, span), got, want)
			}
		}
	}
}

// TestExpRowsAccuracy is the fused tile against double precision, relative to the sum of the magnitudes.
func TestExpRowsAccuracy(t *testing.T) {
	each(t, func(t *testing.T) { testTileAccuracy[float32](t, 2e-6) }, func(t *testing.T) { testTileAccuracy[float64](t, 1e-13) })
}

func testTileAccuracy[T Real](t *testing.T, tolerance float64) {
	rng := seeded(t)
	const rows, scale = 512, -1.37
	base, coef := uniform[T](rng, rows*Width, 0, 15), uniform[T](rng, rows, -1, 1)
	g := make([]float64, Width)
	ExpRows(g, base, coef, []float64{scale}, []float64{1})
	worst := 0.0
	for j := range g {
		sum, size := 0.0, 0.0
		for r := range rows {
			v := float64(coef[r]) * math.Exp(scale*float64(base[r*Width+j]))
			sum += v
			size += math.Abs(v)
		}
		worst = max(worst, math.Abs(g[j]-sum)/size)
	}
	t.Logf("worst error %.3g of the magnitudes", worst)
	if !(worst <= tolerance) {
		t.Errorf("error %.3g of the magnitudes", worst)
	}
}

func TestExpSumIsExpThenAddScaled(t *testing.T) {
	each(t, testExpSum[float32], testExpSum[float64])
}

func testExpSum[T Real](t *testing.T) {
	rng := seeded(t)
	for _, n := range []int{0, 32, 96, 1 << 17} {
		for _, kernels := range []int{0, 1, 5, 33} {
			if n > 100 && kernels > 1 {
				continue
			}
			base, dst := uniform[T](rng, n, 0, 4), uniform[T](rng, n, -1, 1)
			scale, weight := uniform[float64](rng, kernels, -2, 0), uniform[float64](rng, kernels, 0, 1)
			want := append([]T(nil), dst...)
			before := append([]T(nil), dst...)
			k := make([]T, n)
			for m, s := range scale {
				Exp(k, base, s)
				AddScaled(want, k, T(weight[m]))
			}
			ExpSum(dst, base, scale, weight)
			sameBits(t, fmt.Sprintf("%d numbers of %d kernels", n, kernels), dst, want)
			if kernels == 1 {
				for i, v := range k {
					sum := float64(before[i]) + float64(T(weight[0]))*float64(v)
					if e := math.Abs(float64(dst[i]) - sum); !(e <= 4*epsilon[T]()) {
						t.Fatalf("%d numbers: element %d is %v, want %v", n, i, dst[i], sum)
					}
				}
			}
		}
	}
}

// TestColumnsAnywhere checks that all columns of the row routines compute the same function.
func TestColumnsAnywhere(t *testing.T) {
	each(t, testColumns[float32], testColumns[float64])
}

func testColumns[T Real](t *testing.T) {
	rng := seeded(t)
	const rows = 7
	one, coef := uniform[T](rng, rows, 0, 5), uniform[T](rng, rows, -1, 1)
	base := make([]T, rows*Width)
	for i := range base {
		base[i] = one[i/Width]
	}
	exps, sum, matrix := make([]float64, Width), make([]float64, Width), make([]T, rows*Width)
	ExpRows(exps, base, coef, []float64{-1}, []float64{1})
	AddRows(sum, base, coef, 1)
	ExpSum(matrix, base, []float64{-1, -2}, []float64{1, 0.5})
	Expm1Rows(exps, base, coef, []float64{-0.1}, []float64{1})
	Expm1TwiceRows(sum, append([]T(nil), base...), coef, 1)
	Expm1Sum(matrix, base, []float64{-0.1, -0.2}, []float64{1, 0.5})
	for j := range Width {
		if bitsOf(exps[j]) != bitsOf(exps[0]) || bitsOf(sum[j]) != bitsOf(sum[0]) || bitsOf(matrix[j]) != bitsOf(matrix[0]) {
			t.Fatalf("column %d differs from column 0", j)
		}
	}
}

func TestCombine(t *testing.T) {
	for l := levelGo; l <= best(); l++ {
		t.Run(levelNames[l], func(t *testing.T) {
			defer use(l)()
			testCombine(t)
		})
	}
}

func testCombine(t *testing.T) {
	rng := seeded(t)
	for _, kernels := range []int{0, 1, 2, 50, 2500} {
		g, alpha, part := uniform[float64](rng, kernels*Width, -1, 1), uniform[float64](rng, Width, -1, 1), uniform[float64](rng, Width, -1, 1)
		theta, sum := uniform[float64](rng, kernels, 0, 1), uniform[float64](rng, kernels, -1, 1)
		wantPart, wantSum := append([]float64(nil), part...), append([]float64(nil), sum...)
		for k := range theta {
			for j := range Width {
				wantSum[k] += alpha[j] * g[k*Width+j]
				wantPart[j] += theta[k] * g[k*Width+j]
			}
		}
		Combine(g, alpha, part, theta, sum)
		near := func(what string, got, want []float64, slack float64) {
			for i := range want {
				if !(math.Abs(got[i]-want[i]) <= slack) {
					t.Fatalf("%d kernels: %s[%d] is %v, want %v", kernels, what, i, got[i], want[i])
				}
			}
		}
		near("part", part, wantPart, 1e-15*float64(kernels*kernels+10))
		near("sum", sum, wantSum, 1e-14)
	}
}

func TestAddTo(t *testing.T) {
	each(t, testAddTo[float32], testAddTo[float64])
}

func testAddTo[T Real](t *testing.T) {
	rng := seeded(t)
	const scale = -1.75
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 256, 1000, 70001} {
		src, dst := uniform[T](rng, n, -1, 1), uniform[float64](rng, n+1, -1, 1)
		before := append([]float64(nil), dst...)
		AddTo(dst[:n], src, scale)
		for i := range n {
			plain := before[i] + scale*float64(src[i])
			fused := math.FMA(scale, float64(src[i]), before[i])
			want := fused
			if active == levelGo {
				want = before[i] + float64(scale*float64(src[i]))
			}
			if bitsOf(dst[i]) != bitsOf(want) {
				t.Fatalf("n=%d: element %d is %v, want %v (plain %v)", n, i, dst[i], want, plain)
			}
		}
		if dst[n] != before[n] {
			t.Fatalf("n=%d: wrote past the end", n)
		}
	}
}

func BenchmarkExpRows(b *testing.B) {
	benchExpRows[float32](b, "float32")
	benchExpRows[float64](b, "float64")
}

func benchExpRows[T Real](b *testing.B, name string) {
	for _, shape := range [][2]int{{8, 50}, {64, 1}, {256, 1}, {256, 50}} {
		rng := seeded(b)
		rows, kernels := shape[0], shape[1]
		base, coef, g := uniform[T](rng, rows*Width, 0, 5), uniform[T](rng, rows, -1, 1), make([]float64, kernels*Width)
		scale, weight := uniform[float64](rng, kernels, -1, 0), uniform[float64](rng, kernels, 0, 1)
		b.Run(fmt.Sprintf("%s/%s/rows=%d/kernels=%d", Level(), name, rows, kernels), func(b *testing.B) {
			n, begin := 0, cpuTime()
			for b.Loop() {
				ExpRows(g, base, coef, scale, weight)
				n += len(base) * kernels
			}
			b.ReportMetric(float64(n)/(cpuTime()-begin).Seconds()/1e9, "Gentries/s")
		})
	}
}

func BenchmarkSquareRows(b *testing.B) {
	const rows = 64
	rng := seeded(b)
	k, coef, g := uniform[float32](rng, rows*Width, 1, 1), uniform[float32](rng, rows, -1, 1), make([]float64, Width)
	n, begin := 0, cpuTime()
	for b.Loop() {
		SquareRows(g, k, coef, 1)
		n += len(k)
	}
	b.ReportMetric(float64(n)/(cpuTime()-begin).Seconds()/1e9, "Gentries/s")
}

func BenchmarkAddTo(b *testing.B) {
	benchAddTo[float32](b, "float32")
	benchAddTo[float64](b, "float64")
}

func benchAddTo[T Real](b *testing.B, name string) {
	src, dst := uniform[T](seeded(b), 2048, -1, 1), make([]float64, 2048)
	b.Run(Level()+"/"+name, func(b *testing.B) {
		n, begin := 0, cpuTime()
		for b.Loop() {
			AddTo(dst, src, 1e-9)
			n += len(src)
		}
		b.ReportMetric(float64(n)/(cpuTime()-begin).Seconds()/1e9, "Gentries/s")
	})
}
