package kernels

import (
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/simd"
)

// TestUsedFeatures: sums of differences have the same bits whether features that are 0 on both sides are skipped. Sums
// of blocks that are 0 throughout are 0.
func TestUsedFeatures(t *testing.T) {
	t.Parallel()
	t.Run("float32", testUsedFeatures[float32])
	t.Run("float64", testUsedFeatures[float64])
}

func testUsedFeatures[T simd.Real](t *testing.T) {
	const seed, count = 29, 37
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, base := range []Base{SquaredDistance, absoluteDistance, chiSquareDistance, minimumSum} {
		for _, dim := range []int{1, 63, 64, 65, 200} {
			for _, share := range []float64{0, 0.002, 0.02, 0.1, 1} {
				g := &Group{Base: base, features: features{Dim: dim}, Direct: [2]bool{true, true}, layers: layers{Layers: 1}}
				var d differences[T]
				if !d.has(g) {
					t.Fatalf("base %d is no sum over differences", base)
				}
				r := &Rows[T]{Len: count, pack: sparseNumbers[T](rng, blocks(count)*simd.Rows*dim, share)}
				c := &Columns[T]{pack: sparseNumbers[T](rng, simd.Width*dim, share)}
				want := make([]T, g.TileSize(count))
				d.base(want, g, r, 0, count, c)
				d.markRows(r, g, true)
				d.markColumns(c, g, true)
				got := sparseNumbers[T](rng, len(want), 1)
				d.base(got, g, r, 0, count, c)
				if !slices.Equal(got, want) {
					t.Errorf("base %d of %d features, share %g: other sums", base, dim, share)
				}
				if share == 0 && len(d.list) > 0 {
					t.Errorf("base %d: features %d are used of points that are 0", base, d.list)
				}
				from := simd.Rows
				part := make([]T, g.TileSize(count-from))
				if d.base(part, g, r, from, count-from, c); !slices.Equal(part, want[from*simd.Width:]) {
					t.Errorf("base %d of %d features, share %g: other sums from row %d on", base, dim, share, from)
				}
			}
		}
	}
}

// sparseNumbers draws n numbers, of which about a share is positive and the rest 0.
func sparseNumbers[T simd.Real](rng *rand.Rand, n int, share float64) []T {
	x := make([]T, n)
	for i := range x {
		if rng.Float64() < share {
			x[i] = T(rng.Float64() + 0.1)
		}
	}
	return x
}
