package simd

import (
	"math"
	"testing"
)

func TestPairDots(t *testing.T) {
	each(t, testPairDots[float32], testPairDots[float64])
}

// testPairDots compares with sums in double precision.
func testPairDots[T Real](t *testing.T) {
	rng := seeded(t)
	for _, k := range []int{0, 32, 64, 96, 288} {
		const rows, columns, n = 9, 7, 45
		x, y := uniform[T](rng, rows*k, -1, 1), uniform[T](rng, columns*k, -1, 1)
		a, b := make([]int32, n), make([]int32, n)
		for j := range a {
			a[j], b[j] = int32(rng.IntN(rows)), int32(rng.IntN(columns))
		}
		dst := uniform[T](rng, n+1, 7, 9)
		last := dst[n]
		PairDots(dst[:n], x, y, a, b, k)
		for j, got := range dst[:n] {
			want, size := 0.0, 0.0
			for f := range k {
				term := float64(x[int(a[j])*k+f]) * float64(y[int(b[j])*k+f])
				want += term
				size += math.Abs(term)
			}
			if e := math.Abs(float64(got) - want); !(e <= float64(k/Width+6)*epsilon[T]()*size+0x1p-50*size) {
				t.Fatalf("%d terms: product %d is %v, want %v", k, j, got, want)
			}
		}
		if dst[n] != last {
			t.Fatal("wrote past the end")
		}
	}
}

// BenchmarkPairDots has the sizes of 2,000 and 500 objects, 288 of which are in use.
func BenchmarkPairDots(b *testing.B) {
	const rows, columns, k, n = 2000, 500, 288, 20000
	rng := seeded(b)
	x, y, dst := uniform[float32](rng, rows*k, -1, 1), uniform[float32](rng, columns*k, -1, 1), make([]float32, 32)
	first, second := make([]int32, n), make([]int32, n)
	for j := range first {
		first[j], second[j] = int32(rng.IntN(rows)), int32(rng.IntN(columns))
	}
	terms, begin := 0, cpuTime()
	for b.Loop() {
		for at := 0; at+32 <= n; at += 32 {
			PairDots(dst, x, y, first[at:at+32], second[at:at+32], k)
		}
		terms += n / 32 * 32 * k
	}
	b.ReportMetric((cpuTime()-begin).Seconds()/float64(terms)*1e9, "ns/term")
}
