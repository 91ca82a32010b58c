package gradient

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/kernelstest"
)

// banks are all banks on n points that the gradient must agree with the definitions on.
func banks(t testing.TB, rng *rand.Rand, n int) []*bank {
	p := uniform(rng, n, 5)
	list := allKinds([]int32{1, 3, 4}, []int32{0})
	scale := make([]float64, len(list.Kernels))
	for i := range scale {
		scale[i] = math.Pow(4, rng.NormFloat64())
	}
	scale[3] = 0
	wide, holes := uniform(rng, n, 40), uniform(rng, n, 9)
	for _, x := range holes.x {
		for j := range x {
			if rng.IntN(3) > 0 {
				x[j] = 0
			}
		}
	}
	holes = newTable(holes.x)
	holes.sparse = true
	products := &kernelspec.Bank{Kernels: slices.Clone(list.Kernels[:4]), Sets: list.Sets, SetViews: list.SetViews}
	last := list.Kernels[len(list.Kernels)-1]
	for i, k := range list.Kernels[:5] {
		products.Products = append(products.Products, []kernelspec.Factor{{Kernel: k, Power: 1 + i%2}, {Kernel: last, Power: 1}})
		products.Kernels = append(products.Kernels, kernelspec.Kernel{Kind: kernelspec.Product, Set: kernelspec.AllFeatures, Index: int32(i)})
	}
	withFiles, a, b := withMatrices(rng, p)
	var own []float64
	each := &kernelspec.Bank{Sets: list.Sets, SetViews: list.SetViews}
	for i, k := range list.Kernels {
		k.Normalizer = []kernelspec.Normalizer{kernelspec.Unsaid, kernelspec.Spherical, kernelspec.Unnormalized, kernelspec.Spherical, kernelspec.Multiplicative}[i%5]
		each.Kernels = append(each.Kernels, k)
		own = append(own, scale[i])
		if k.Normalizer == kernelspec.Spherical {
			own[i] = 1
		}
	}
	gated := func(name string, p *table, list *kernelspec.Bank, sphere bool, scale []float64, matrices ...[][]float64) *bank {
		return newGatedBank(t, "gated, "+name, p, list, sphere, scale, newEtas(rng, len(list.Kernels), n), matrices...)
	}
	letters, words := sequences(rng, n)
	return []*bank{
		newBank(t, "mixed", p, list, false, nil),
		newBank(t, "multiplicative", p, list, false, scale),
		newBank(t, "spherical", p, list, true, nil),
		newBank(t, "each its own normaliser", p, each, false, own),
		newBank(t, "sparse, each its own", holes, each, false, own),
		newBank(t, "products", p, products, false, scale[:len(products.Kernels)]),
		newBank(t, "products, spherical", p, products, true, nil),
		newBank(t, "products, sparse", holes, products, false, nil),
		newBank(t, "one group", p, gaussians(5), false, nil),
		newBank(t, "many groups", wide, single(40), false, nil),
		newBank(t, "sparse", holes, list, false, scale),
		newBank(t, "sparse, spherical", holes, list, true, nil),
		newBank(t, "matrices", p, withFiles, false, []float64{1, 1, 0.5, 2, 3}, a, b),
		newBank(t, "strings", letters, words, false, nil),
		newBank(t, "strings, spherical", letters, words, true, nil),
		gated("one group", p, gaussians(9), false, nil), // chains of squares with closed links in them
		gated("mixed", p, list, false, scale),
		gated("spherical", p, list, true, nil),
		gated("each its own normaliser", p, each, false, own),
		gated("sparse", holes, list, false, nil),
		gated("sparse, spherical", holes, list, true, nil),
		gated("products", p, products, false, nil),
		gated("products, sparse, spherical", holes, products, true, nil),
		gated("strings", letters, words, false, nil),
		gated("strings, spherical", letters, words, true, nil),
		gated("many groups", wide, single(40), false, nil),
		gated("matrices", p, withFiles, false, []float64{1, 1, 0.5, 2, 3}, a, b),
	}
}

// allKinds is a bank of all kinds on all features and on some.
func allKinds(sets ...[]int32) *kernelspec.Bank {
	b := &kernelspec.Bank{}
	for at := -1; at < len(sets); at++ {
		set := int32(at)
		b.Kernels = append(b.Kernels,
			kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: 0.3, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Linear, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: 1, Coef: 1, Degree: 2, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Laplace, Gamma: 0.5, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: 3, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Sigmoid, Gamma: 0.2, Coef: 0.5, Set: set},
			kernelspec.Kernel{Kind: kernelspec.ChiSquare, Gamma: 1, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Intersection, Set: set},
			kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: 0.5, Coef: 1, Degree: 3, Set: set},
		)
	}
	for _, s := range sets {
		b.Sets, b.SetViews = append(b.Sets, s), append(b.SetViews, "")
	}
	return b
}

// gaussians is one group of kernels on all features.
func gaussians(count int) *kernelspec.Bank {
	b := &kernelspec.Bank{}
	for i := range count {
		b.Kernels = append(b.Kernels, kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: math.Pow(2, float64(i-count/2)), Set: kernelspec.AllFeatures})
	}
	return b
}

// single is two groups for each feature.
func single(d int) *kernelspec.Bank {
	b := &kernelspec.Bank{}
	for j := range d {
		b.Sets, b.SetViews = append(b.Sets, []int32{int32(j)}), append(b.SetViews, "")
		b.Kernels = append(b.Kernels, kernelspec.Kernel{Kind: kernelspec.Gauss, Gamma: 1, Set: int32(j)}, kernelspec.Kernel{Kind: kernelspec.Linear, Set: int32(j)})
	}
	return b
}

// withMatrices is two precomputed kernels beside computed ones.
func withMatrices(rng *rand.Rand, p *table) (*kernelspec.Bank, [][]float64, [][]float64) {
	b := gaussians(2)
	b.Files = []string{"a", "b"}
	b.Kernels = append(b.Kernels, kernelspec.Kernel{Kind: kernelspec.Precomputed, Set: kernelspec.AllFeatures, Index: 1},
		kernelspec.Kernel{Kind: kernelspec.Linear, Set: kernelspec.AllFeatures}, kernelspec.Kernel{Kind: kernelspec.Precomputed, Set: kernelspec.AllFeatures})
	return b, kernelstest.RandomMatrix(rng, len(p.x)), kernelstest.RandomMatrix(rng, len(p.x))
}

// sequences are n points of four letters with string kernels of both sorts.
func sequences(rng *rand.Rand, n int) (*table, *kernelspec.Bank) {
	x := make([][]float32, n)
	for i := range x {
		x[i] = make([]float32, 20)
		for j := range x[i] {
			x[i][j] = float32(1 + rng.IntN(4))
		}
	}
	list := &kernelspec.Bank{Letters: dataset.DNA, Kernels: []kernelspec.Kernel{
		{Kind: kernelspec.Spectrum, Degree: 1}, {Kind: kernelspec.Spectrum, Degree: 2}, {Kind: kernelspec.WeightedDegree, Degree: 3}, {Kind: kernelspec.WeightedDegree, Degree: 1},
	}}
	for i := range list.Kernels {
		list.Kernels[i].Set = kernelspec.AllFeatures
	}
	return newTable(x), list
}
