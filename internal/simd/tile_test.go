package simd

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
)

// tileCase is a tile routine with the term it sums, in double precision.
type tileCase[T Real] struct {
	name string
	f    func(dst, a, x []T, k int)
	term func(a, x float64) float64
}

func tileCases[T Real]() []tileCase[T] {
	return []tileCase[T]{
		{"Dot", Dot[T], func(a, x float64) float64 { return a * x }},
		{"SquaredDiff", SquaredDiff[T], func(a, x float64) float64 { return (a - x) * (a - x) }},
		{"AbsDiff", AbsDiff[T], func(a, x float64) float64 { return math.Abs(a - x) }},
		{"MinSum", MinSum[T], math.Min},
		{"ChiSquare", ChiSquare[T], func(a, x float64) float64 {
			if a+x == 0 {
				return 0
			}
			return (a - x) * (a - x) / (a + x)
		}},
	}
}

func TestTilesAgainstReference(t *testing.T) {
	each(t, testTilesReference[float32], testTilesReference[float64])
}

// testTilesReference compares with sums of 200 bits; the bound is the usual one for a recursive sum of k terms that
// carry a few roundings each.
func testTilesReference[T Real](t *testing.T) {
	rng := seeded(t)
	for _, c := range tileCases[T]() {
		for _, k := range []int{0, 1, 2, 3, 4, 5, 7, 10, 31, 100} {
			lo := -1.0
			if c.name == "ChiSquare" {
				lo = 0 // histograms
			}
			a, x := uniform[T](rng, k*Rows, lo, 1), uniform[T](rng, k*Width, lo, 1)
			for i := range a {
				if i%5 == 0 {
					a[i] = 0
				}
			}
			for i := range x {
				if i%3 == 0 {
					x[i] = 0
				}
			}
			dst := uniform[T](rng, tile, -9, 9) // what was there before must not matter
			c.f(dst, a, x, k)
			for i, got := range dst {
				r, j := i/Width, i%Width
				sum, size := new(big.Float).SetPrec(200), 0.0
				for f := range k {
					term := c.term(float64(a[f*Rows+r]), float64(x[f*Width+j]))
					sum.Add(sum, big.NewFloat(term))
					size += math.Abs(term)
				}
				want, _ := sum.Float64()
				bound := float64(k+5)*epsilon[T]()*size + 0x1p-53*size
				if e := math.Abs(float64(got) - want); !(e <= bound) {
					t.Fatalf("%s k=%d [%d,%d] = %v, want %v, error %g above %g", c.name, k, r, j, got, want, e, bound)
				}
			}
		}
	}
}

func TestTilesSymmetricAnywhere(t *testing.T) {
	each(t, testTilesSymmetry[float32], testTilesSymmetry[float64])
}

// testTilesSymmetry puts the same points at every row and column: all values of a pair, in both orders and at all
// places, must have the same bits.
func testTilesSymmetry[T Real](t *testing.T) {
	rng := seeded(t)
	const n = 40
	for _, k := range []int{1, 6, 33} {
		points := make([][]T, n)
		for i := range points {
			points[i] = uniform[T](rng, k, 0, 1)
			if i%4 == 0 {
				points[i][0] = 0
			}
		}
		for _, c := range tileCases[T]() {
			value := map[[2]int]T{}
			for shift := 0; shift < n; shift += 3 {
				a, x := make([]T, k*Rows), make([]T, k*Width)
				for f := range k {
					for r := range Rows {
						a[f*Rows+r] = points[(r+shift)%n][f]
					}
					for j := range Width {
						x[f*Width+j] = points[(j+5*shift)%n][f]
					}
				}
				dst := make([]T, tile)
				c.f(dst, a, x, k)
				for i, v := range dst {
					p, q := (i/Width+shift)%n, (i%Width+5*shift)%n
					key := [2]int{min(p, q), max(p, q)}
					if old, seen := value[key]; seen && bitsOf(old) != bitsOf(v) {
						t.Fatalf("%s k=%d: points %d and %d give %v and %v", c.name, k, p, q, old, v)
					}
					value[key] = v
				}
			}
		}
	}
}

func TestBlocksAreTiles(t *testing.T) {
	each(t, testBlocks[float32], testBlocks[float64])
}

// testBlocks compares many blocks of rows, enough to be cut in pieces, with one at a time.
func testBlocks[T Real](t *testing.T) {
	rng := seeded(t)
	const blocks = 11
	for _, k := range []int{0, 3, 1000} {
		a, x := uniform[T](rng, blocks*k*Rows, 0, 1), uniform[T](rng, k*Width, 0, 1)
		for _, c := range tileCases[T]() {
			got, want := uniform[T](rng, blocks*tile, -1, 1), make([]T, blocks*tile)
			c.f(got, a, x, k)
			for b := range blocks {
				c.f(want[b*tile:(b+1)*tile], a[b*k*Rows:(b+1)*k*Rows], x, k)
			}
			sameBits(t, fmt.Sprintf("%s k=%d", c.name, k), got, want)
		}
	}
}

func TestProductIsDot(t *testing.T) {
	each(t, testProduct[float32], testProduct[float64])
}

func testProduct[T Real](t *testing.T) {
	rng := seeded(t)
	for _, k := range []int{0, 1, 9, near - 1, near, near + 1, 2*near + 5} {
		for _, blocks := range []int{0, 1, 2, 7} {
			a, x := uniform[T](rng, blocks*k*Rows, -1, 1), uniform[T](rng, k*Width, -1, 1)
			got, want := uniform[T](rng, blocks*tile, -1, 1), make([]T, blocks*tile)
			for b := range blocks {
				Dot(want[b*tile:(b+1)*tile], a[b*k*Rows:(b+1)*k*Rows], x, k)
			}
			for _, n := range []int{0, 1, 17, 5000, 50000} {
				Product(got, a, x, k, make([]T, n))
				sameBits(t, fmt.Sprintf("k=%d blocks=%d ahead=%d", k, blocks, n), got, want)
			}
		}
	}
}

// TestAddProductContinues: a product in two parts has the bits of the whole one.
func TestAddProductContinues(t *testing.T) {
	each(t, testAddProduct[float32], testAddProduct[float64])
}

func testAddProduct[T Real](t *testing.T) {
	rng := seeded(t)
	for _, k := range []int{1, 8, 33, 300} {
		for _, first := range []int{0, 1, k / 2, k} {
			x := uniform[T](rng, k*Width, -1, 1)
			var before, after []T // of two blocks of rows
			a := uniform[T](rng, 2*k*Rows, -1, 1)
			for b := range 2 {
				own := a[b*k*Rows : (b+1)*k*Rows]
				before, after = append(before, own[:first*Rows]...), append(after, own[first*Rows:]...)
			}
			want, got := make([]T, 2*tile), make([]T, 2*tile)
			Product(want, a, x, k, nil)
			AddProduct(got, before, x, first)
			AddProduct(got, after, x[first*Width:], k-first)
			if !slices.Equal(got, want) {
				t.Errorf("%d features after %d: other bits", k-first, first)
			}
		}
	}
}

func TestDistanceIsProductThenDistances(t *testing.T) {
	each(t, testDistanceTiles[float32], testDistanceTiles[float64])
}

func testDistanceTiles[T Real](t *testing.T) {
	rng := seeded(t)
	for _, k := range []int{0, 1, 7, near, near + 3} {
		const blocks = 3
		a, x := uniform[T](rng, blocks*k*Rows, -1, 1), uniform[T](rng, k*Width, -1, 1)
		na, nx := uniform[T](rng, blocks*Rows, 0, 1), uniform[T](rng, Width, 0, 1)
		if k > 0 {
			x[5] = T(math.NaN())
		}
		got, want := uniform[T](rng, blocks*tile, -1, 1), make([]T, blocks*tile)
		Product(want, a, x, k, nil)
		for b := range blocks {
			DistanceFromDot(want[b*tile:(b+1)*tile], na[b*Rows:(b+1)*Rows], nx)
		}
		Distance(got, a, x, k, na, nx, nil)
		for i := range want {
			if want[i] != want[i] && got[i] != got[i] {
				got[i], want[i] = 0, 0 // which not-a-number does not matter
			}
		}
		sameBits(t, fmt.Sprintf("k=%d", k), got, want)
	}
}

func TestChiSquareOfZeros(t *testing.T) {
	each(t, testChiZeros[float32], testChiZeros[float64])
}

func testChiZeros[T Real](t *testing.T) {
	a, x, dst := make([]T, 3*Rows), make([]T, 3*Width), make([]T, tile)
	for j := range Width {
		x[j] = T(math.Copysign(0, -1))
		x[Width+j] = -2
		x[2*Width+j] = 3
	}
	for r := range Rows {
		a[Rows+r] = 2 // the sum cancels: no contribution
	}
	ChiSquare(dst, a, x, 3)
	for i, v := range dst {
		if v != 3 {
			t.Fatalf("element %d is %v, want 3", i, v)
		}
	}
}

// TestChiSquareOfTinyNumbers has sums too small for a reciprocal; the true terms are no larger than the sums.
func TestChiSquareOfTinyNumbers(t *testing.T) {
	each(t, testChiTiny[float32], testChiTiny[float64])
}

func testChiTiny[T Real](t *testing.T) {
	least, k := math.SmallestNonzeroFloat64, 80
	if is32[T]() {
		least, k = math.SmallestNonzeroFloat32, 50
	}
	a, x, dst := make([]T, k*Rows), make([]T, k*Width), make([]T, tile)
	for f := range k {
		for r := range Rows {
			a[f*Rows+r] = T(math.Ldexp(least, f))
		}
	}
	ChiSquare(dst, a, x, k)
	for i, v := range dst {
		if !(v >= 0) || float64(v) > math.Ldexp(least, k) {
			t.Fatalf("element %d is %v", i, v)
		}
	}
}

func TestDistanceFromDot(t *testing.T) {
	each(t, testDistance[float32], testDistance[float64])
}

func testDistance[T Real](t *testing.T) {
	rng := seeded(t)
	dots, na, nx := uniform[T](rng, tile, -2, 2), uniform[T](rng, Rows, 0, 2), uniform[T](rng, Width, 0, 2)
	dots[5], na[0], nx[5] = 1, 1, 1
	dots[6] = T(math.NaN())
	got := append([]T(nil), dots...)
	DistanceFromDot(got, na, nx)
	for i, v := range got {
		want := (na[i/Width] + nx[i%Width]) - 2*dots[i]
		if want < 0 {
			want = 0
		}
		if i == 6 {
			if v == v {
				t.Error("not-a-number was lost")
			}
		} else if bitsOf(v) != bitsOf(want) {
			t.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}
}

func BenchmarkProduct(b *testing.B) {
	benchProduct[float32](b, "float32")
	benchProduct[float64](b, "float64")
}

// benchProduct streams panels that do not fit the caches past 64 rows.
func benchProduct[T Real](b *testing.B, name string) {
	for _, k := range []int{8, 64, 256, 784, 2000} {
		const rows = 64
		panels := 1<<25/(k*Width) + 1
		rng := seeded(b)
		a, x := uniform[T](rng, k*rows, -1, 1), make([]T, panels*k*Width)
		dst := make([]T, rows*Width)
		b.Run(fmt.Sprintf("%s/%s/k=%d", Level(), name, k), func(b *testing.B) {
			n, begin, at := 0, cpuTime(), 0
			for b.Loop() {
				now, next := x[at*k*Width:(at+1)*k*Width], x[(at+1)%panels*k*Width:]
				Product(dst, a, now, k, next[:k*Width])
				at = (at + 1) % panels
				n++
			}
			b.ReportMetric(float64(n)*2*float64(k)*rows*Width/(cpuTime()-begin).Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkSquaredDiff(b *testing.B) {
	benchTile(b, "float32", SquaredDiff[float32], 3)
	benchTile(b, "float64", SquaredDiff[float64], 3)
}

func BenchmarkAbsDiff(b *testing.B)   { benchTile(b, "float32", AbsDiff[float32], 3) }
func BenchmarkMinSum(b *testing.B)    { benchTile(b, "float32", MinSum[float32], 2) }
func BenchmarkChiSquare(b *testing.B) { benchTile(b, "float32", ChiSquare[float32], 5) }

// benchTile streams 64 rows against panels that do not fit the first-level cache, as the solver does.
func benchTile[T Real](b *testing.B, name string, f func(dst, a, x []T, k int), flops float64) {
	for _, k := range []int{10, 784} {
		const blocks, panels = 8, 16
		rng := seeded(b)
		a, x := uniform[T](rng, blocks*k*Rows, -1, 1), uniform[T](rng, panels*k*Width, -1, 1)
		dst := make([]T, tile)
		b.Run(fmt.Sprintf("%s/%s/k=%d", Level(), name, k), func(b *testing.B) {
			n, begin := 0, cpuTime()
			for b.Loop() {
				for p := range panels {
					for q := range blocks {
						f(dst, a[q*k*Rows:(q+1)*k*Rows], x[p*k*Width:(p+1)*k*Width], k)
					}
				}
				n += panels * blocks
			}
			b.ReportMetric(float64(n)*flops*float64(k)*tile/(cpuTime()-begin).Seconds()/1e9, "GFLOP/s")
		})
	}
}
