package norm

import (
	"fmt"
	"testing"

	"bigmkl/chunking"
	"bigmkl/internal/toy"
)

// TestSumWeights: on every rung the weights sum to 1 and have the ratios that the weights of the block norm have.
func TestSumWeights(t *testing.T) {
	v := []float64{0.5, 2, 1.9, 1.99, 0}
	sum, block := NewSum(nil), NewBlock(1, nil)
	theta, other := make([]float64, len(v)), make([]float64, len(v))
	for rung := range 6 {
		sum.Weights(theta, v)
		block.Weights(other, v)
		all := 0.0
		for m, x := range theta {
			all += x
			if !toy.Near(x*other[1], other[m]*theta[1], 1e-12) {
				t.Errorf("rung %d: weights %v, of the block norm %v", rung, theta, other)
			}
		}
		if !toy.Near(all, 1, 1e-12) || !toy.Near(sum.Scale(theta, v), 1, 1e-12) {
			t.Errorf("rung %d: weights of sum %v", rung, all)
		}
		if sum.Sharpen(false) != block.Sharpen(false) {
			t.Fatal("only one of the norms has another rung")
		}
	}
}

// TestSumConverges: the norm has the optimum of the block norm of p = 1, and takes no more iterations all in all.
func TestSumConverges(t *testing.T) {
	for _, gap := range []float64{1e-3, 1e-6} {
		own, others := 0, 0
		for _, p := range toy.Problems(toy.Random(t, 41)) {
			t.Run(fmt.Sprintf("%s to %g", p.Name, gap), func(t *testing.T) {
				status, r := regularized(t, p, NewSum(nil), gap)
				if status != chunking.Converged {
					t.Fatalf("%s after %d iterations with gap %.3g", status, r.Iterations, r.Certificate.RelativeGap)
				}
				if all := sumOf(r.Theta); all != 0 && !toy.Near(all, 1, 1e-9) {
					t.Errorf("weights of sum %v", all)
				}
				_, block := regularized(t, p, NewBlock(1, nil), gap)
				if !toy.Near(r.Certificate.Dual, block.Certificate.Dual, 2*gap) {
					t.Errorf("dual value %v, with the block norm %v", r.Certificate.Dual, block.Certificate.Dual)
				}
				own, others = own+r.Iterations, others+block.Iterations
			})
		}
		t.Logf("gap %g: %d iterations, with the block norm %d", gap, own, others)
		if own > others {
			t.Errorf("gap %g: %d iterations, with the block norm %d", gap, own, others)
		}
	}
}

func sumOf(theta []float64) (sum float64) {
	for _, x := range theta {
		sum += x
	}
	return sum
}
