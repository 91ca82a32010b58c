package kernels

import (
	"math"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// withProducts adds products of the kernels of a list to it, and returns the kernels that they multiply.
func withProducts(list *kernelspec.Bank, factors [][]int, powers [][]int) {
	for i, f := range factors {
		k := kernelspec.Kernel{Kind: kernelspec.Product, Set: kernelspec.AllFeatures, Index: int32(len(list.Products))}
		var product []kernelspec.Factor
		for j, at := range f {
			product = append(product, kernelspec.Factor{Kernel: list.Kernels[at], Power: powers[i][j]})
		}
		list.Products, list.Kernels = append(list.Products, product), append(list.Kernels, k)
	}
}

// testProducts compares the matrices of products with those of their factors.
func testProducts[T simd.Real](t *testing.T, points Points, list *kernelspec.Bank, spherical bool, tolerance float64) {
	t.Helper()
	single := len(list.Kernels)
	factors, powers := [][]int{{0, 3}, {1, single - 1, 2}, {single - 1}, {4, 4}, {2, 0}}, [][]int{{1, 1}, {1, 2, 1}, {3}, {1, 2}, {2, 1}}
	withProducts(list, factors, powers)
	s, err := Survey(t.Context(), points, make([]float32, points.Dim()), 1)
	if err != nil {
		t.Fatal(err)
	}
	b := newBank(t, list, s, spherical)
	b.Plain()
	n := points.Len()
	found, err := b.normalize(t.Context(), points, s, nil, precision[T]() == 1, 2, 1, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range factors {
		got := gram[T](t, b, single+i, points, 2)
		want := make([][]float64, n)
		for r := range want {
			want[r] = make([]float64, n)
			for c := range want[r] {
				want[r][c] = 1
			}
		}
		definite := true
		for j, at := range f {
			definite = definite && b.Definite(at)
			for r, row := range gram[T](t, b, at, points, 1) {
				for c, v := range row {
					want[r][c] *= math.Pow(float64(v), float64(powers[i][j]))
				}
			}
		}
		if b.Definite(single+i) != definite {
			t.Errorf("product %d: definite %v", i, !definite)
		}
		diagonal, all := 0.0, 0.0
		for r, row := range want {
			diagonal += row[r] / float64(n)
			for _, v := range row {
				all += v / float64(n*n)
			}
		}
		if scale := found.Scale[single+i]; !spherical && math.Abs(1/scale-(diagonal-all)) > 10*tolerance*diagonal {
			t.Errorf("product %d: variance %v, want %v", i, 1/scale, diagonal-all)
		}
		for r, row := range got {
			for c, v := range row {
				if e := math.Abs(float64(v) - want[r][c]); e > tolerance*max(1, math.Abs(want[r][c])) {
					t.Fatalf("spherical %v, product %d: %v at %d, %d, want %v", spherical, i, v, r, c, want[r][c])
				}
			}
		}
	}
}

// TestProducts: dense and sparse points, sets and all features, plain and spherically normalised, in both precisions.
func TestProducts(t *testing.T) {
	t.Parallel()
	rng := random(t, 40)
	dense, few := points(rng, 75, 9), scattered(rng, 75, 90, 8)
	for _, x := range append(dense.x, few.x...) {
		for j := range x {
			x[j] = float32(math.Abs(float64(x[j])))
		}
	}
	for _, spherical := range []bool{false, true} {
		for _, p := range []Points{dense, few, nonzeroTable{few}} {
			sets := [][]int32{{1, 3, 4}, nil}
			testProducts[float32](t, p, allKinds(sets...), spherical, 2e-4)
			testProducts[float64](t, p, allKinds(sets...), spherical, 1e-10)
		}
	}
}

// TestProductsOfStrings multiplies kernels of several bases and layers.
func TestProductsOfStrings(t *testing.T) {
	t.Parallel()
	p := sequencesOf(random(t, 41), dataset.DNA, 70, 60)
	for _, spherical := range []bool{false, true} {
		list := &kernelspec.Bank{Letters: dataset.DNA, Sets: [][]int32{from(5, 30)}, SetViews: []string{""}}
		for _, k := range []kernelspec.Kernel{
			{Kind: kernelspec.WeightedDegree, Degree: 5}, {Kind: kernelspec.Spectrum, Degree: 3}, {Kind: kernelspec.Spectrum, Degree: 7}, {Kind: kernelspec.WeightedDegree, Degree: 3, Shift: 2},
			{Kind: kernelspec.Spectrum, Degree: 3, Mismatches: 1}, {Kind: kernelspec.WeightedDegree, Degree: 8},
		} {
			k.Set = kernelspec.AllFeatures
			if k.Degree == 7 {
				k.Set = 0
			}
			list.Kernels = append(list.Kernels, k)
		}
		testProducts[float32](t, p, list, spherical, 1e-3)
	}
}
