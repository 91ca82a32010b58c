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
	for _, rows := range []int{0, 1, 2, 3, 8, 9, 50} {
		k, coef, acc := uniform[T](rng, rows*Width, 0, 1), uniform[T](rng, rows, -1, 1), uniform[T](rng, Width, -1, 1)
		want, size := make([]float64, Width), make([]float64, Width)
		for j := range want {
			want[j] = float64(acc[j])
			size[j] = math.Abs(want[j])
			for r := range rows {
				v := float64(coef[r]) * float64(k[r*Width+j])
				want[j] += v
				size[j] += math.Abs(v)
			}
		}
		AddRows(acc, k, coef)
		for j, got := range acc {
			if e := math.Abs(float64(got) - want[j]); !(e <= float64(rows+2)*2*epsilon[T]()*size[j]) {
				t.Fatalf("%d rows: column %d is %v, want %v", rows, j, got, want[j])
			}
		}
	}
}

func TestExpAddRowsIsExpThenAddRows(t *testing.T) {
	each(t, testExpAddRows[float32], testExpAddRows[float64])
}

func testExpAddRows[T Real](t *testing.T) {
	rng := seeded(t)
	for _, rows := range []int{0, 1, 2, 3, 8, 17, 5000} {
		for _, span := range []float64{1, 80, 120, 1000} {
			base, coef := uniform[T](rng, rows*Width, 0, span), uniform[T](rng, rows, -1, 1)
			got := uniform[T](rng, Width, -1, 1)
			want := append([]T(nil), got...)
			buf := make([]T, len(base))
			Exp(buf, base, -0.7)
			AddRows(want, buf, coef)
			ExpAddRows(got, base, coef, -0.7)
			sameBits(t, fmt.Sprintf("%d rows up to %v", rows, span), got, want)
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
	acc, sum := make([]T, Width), make([]T, Width)
	ExpAddRows(acc, base, coef, -1)
	AddRows(sum, base, coef)
	for j := range Width {
		if bits(acc[j]) != bits(acc[0]) || bits(sum[j]) != bits(sum[0]) {
			t.Fatalf("column %d differs from column 0", j)
		}
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
			if bits(dst[i]) != bits(want) {
				t.Fatalf("n=%d: element %d is %v, want %v (plain %v)", n, i, dst[i], want, plain)
			}
		}
		if dst[n] != before[n] {
			t.Fatalf("n=%d: wrote past the end", n)
		}
	}
}

func TestShift(t *testing.T) {
	each(t, testShift[float32], testShift[float64])
}

func testShift[T Real](t *testing.T) {
	rng := seeded(t)
	for _, k := range []int{0, 1, 2, 5, 33} {
		src, shift := uniform[float32](rng, k*Width, -1, 1), uniform[float32](rng, k, -1, 1)
		dst := make([]T, k*Width+1)
		Shift(dst, src, shift, k)
		for i := range k * Width {
			if want := T(src[i]) - T(shift[i/Width]); bits(dst[i]) != bits(want) {
				t.Fatalf("k=%d: element %d is %v, want %v", k, i, dst[i], want)
			}
		}
		if dst[k*Width] != 0 {
			t.Fatal("wrote past the end")
		}
	}
}

func BenchmarkExpAddRows(b *testing.B) {
	benchRows(b, "float32", func(acc, k, coef []float32) { ExpAddRows(acc, k, coef, -1) })
	benchRows(b, "float64", func(acc, k, coef []float64) { ExpAddRows(acc, k, coef, -1) })
}

func BenchmarkAddRows(b *testing.B) {
	benchRows(b, "float32", AddRows[float32])
	benchRows(b, "float64", AddRows[float64])
}

func benchRows[T Real](b *testing.B, name string, f func(acc, k, coef []T)) {
	for _, rows := range []int{8, 128} {
		rng := seeded(b)
		k, coef, acc := uniform[T](rng, rows*Width, 0, 5), uniform[T](rng, rows, -1, 1), make([]T, Width)
		b.Run(fmt.Sprintf("%s/%s/rows=%d", Level(), name, rows), func(b *testing.B) {
			n, begin := 0, cpuTime()
			for b.Loop() {
				f(acc, k, coef)
				n += len(k)
			}
			b.ReportMetric(float64(n)/(cpuTime()-begin).Seconds()/1e9, "Gentries/s")
		})
	}
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
