package kernels

import (
	"math"
	"testing"

	"bigmkl/internal/kernelspec"
)

// TestReaches: no two points have a larger base than the reach, and sparse points of many features have
// the reaches of dense ones.
func TestReaches(t *testing.T) {
	t.Parallel()
	const d = 2 * fewFeatures
	p := scattered(random(t, 61), 60, d, 40)
	for i := range p.x {
		// A feature that is far from zero and nearly constant cancels from the extents.
		p.x[i][d-1] = 1e3 + float32(i%2)
	}
	sparse, err := Survey(t.Context(), nonzeroTable{p}, p.mean(), 1)
	if err != nil {
		t.Fatal(err)
	}
	// All features, a long range without the last, a few, and every other one.
	var other []int32
	for j := int32(0); j < d; j += 2 {
		other = append(other, j)
	}
	list := &kernelspec.Bank{Sets: [][]int32{nil, from(3, fewFeatures+1), from(5, 9), other}}
	for set := range int32(4) {
		for _, kind := range []kernelspec.Kind{kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare} {
			list.Kernels = append(list.Kernels, kernelspec.Kernel{Kind: kind, Gamma: 1e-3, Set: set})
		}
		list.Kernels = append(list.Kernels, kernelspec.Kernel{Kind: kernelspec.Poly, Gamma: 1, Coef: 1, Degree: 2, Set: set})
	}
	a, b := newBank(t, list, p.survey(t), false), newBank(t, list, sparse, false)
	want, err := a.Reaches(t.Context(), p, 2)
	if err != nil {
		t.Fatal(err)
	}
	got, err := b.Reaches(t.Context(), nonzeroTable{p}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for k := range want {
		g := &b.Groups[k]
		if !(math.Abs(got[k]-want[k]) <= 1e-8*want[k]) {
			t.Errorf("base %d of %d features: reach %v of sparse points, %v of dense ones", g.Base, g.Dim, got[k], want[k])
		}
		for i, x := range p.x {
			for _, z := range p.x[:i+1] {
				if base := definedBase(g, x, z); !(base <= got[k]) {
					t.Fatalf("base %d of %d features: %v is beyond the reach %v", g.Base, g.Dim, base, got[k])
				}
			}
		}
	}
}

// definedBase is the base of two points by its definition.
func definedBase(g *Group, x, z []float32) float64 {
	sum := 0.0
	g.Each(func(j int) {
		a, b := float64(x[j]), float64(z[j])
		switch g.Base {
		case SquaredDistance:
			sum += (a - b) * (a - b)
		case absoluteDistance:
			sum += math.Abs(a - b)
		case chiSquareDistance:
			if a+b > 0 {
				sum += (a - b) * (a - b) / (a + b)
			}
		case plainProduct:
			sum += a * b
		}
	})
	return sum
}
