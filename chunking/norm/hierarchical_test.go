package norm

import (
	"math"
	"testing"

	"bigmkl/internal/toy"
)

// TestGroupsOfSmoothedNorm: with p > 2 over groups of q < 2, a kernel of V = 0 has no weight beside others of its group, a group of V = 0 alone has even
// weights, and what is reported has norm 1, however coarse the smoothing is.
func TestGroupsOfSmoothedNorm(t *testing.T) {
	rng := toy.Random(t, 22)
	for _, p := range []float64{3, math.Inf(1)} {
		for _, q := range []float64{1, 4.0 / 3, 2} {
			V := []float64{rng.Float64(), 0, rng.Float64(), 0, 0, rng.Float64()}
			n := NewHierarchical(p, q, []int32{0, 0, 1, 2, 2, 1}, nil).(*hierarchical)
			n.Calibrate(V)
			if n.smoothing == 0 {
				t.Fatal("nothing is smoothed")
			}
			theta := make([]float64, len(V))
			length := n.Weights(theta, V)
			if q < 2 && theta[1] != 0 {
				t.Errorf("p = %g, q = %g: the kernel of V = 0 has weight %g", p, q, theta[1])
			}
			if !(theta[3] > 0) || theta[3] != theta[4] {
				t.Errorf("p = %g, q = %g: the group of V = 0 has weights %g, %g", p, q, theta[3], theta[4])
			}
			group := func(theta ...float64) float64 {
				if q == 1 { // The weights have norm 1 in the exponent of the rung.
					return WeightNorm(theta, n.smooth(q))
				}
				return WeightNorm(theta, q)
			}
			norms := []float64{group(theta[0], theta[1]), group(theta[2], theta[5]), group(theta[3], theta[4])}
			if x := WeightNorm(norms, p); math.Abs(x-1) > 1e-9 || !(length > 0) {
				t.Errorf("p = %g, q = %g: weights of norm %.12g, length %g", p, q, x, length)
			}
		}
	}
}
