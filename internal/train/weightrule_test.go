package train

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSimplexOfSizes: weights of a sum of 1 meet the conditions of their program, each in units in which its kernel has the size 1,
// whatever the sizes of the kernels are.
func TestSimplexOfSizes(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 17))
	for trial := range 300 {
		n := 1 + rng.IntN(6)
		side := n + 1
		// Products of vectors, of which the last is the target.
		vectors := make([][]float64, side)
		for i := range vectors {
			size := math.Pow(10, float64(rng.IntN(11)))
			if i == n {
				size = 30
			}
			for range 4 {
				vectors[i] = append(vectors[i], size*(0.2+rng.Float64()))
			}
		}
		products := make([]float64, side*side)
		for i := range vectors {
			for j := range vectors {
				for k := range vectors[i] {
					products[i*side+j] += vectors[i][k] * vectors[j][k]
				}
			}
		}
		w := simplexWeights(n, products)
		gain, sum, price, largest := make([]float64, n), 0.0, 0.0, 0.0
		for m := range n {
			gain[m] = products[m*side+n]
			for h, x := range w {
				gain[m] -= products[m*side+h] * x
				if x > 0 {
					largest = max(largest, math.Abs(products[m*side+h]*x)/math.Sqrt(products[m*side+m]))
				}
			}
			sum, price = sum+w[m], price+w[m]*gain[m]
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("trial %d: the weights %v sum to %v", trial, w, sum)
		}
		for m, x := range w {
			rest := (gain[m] - price) / math.Sqrt(products[m*side+m])
			if rest > 1e-6*largest || x > 0 && rest < -1e-6*largest {
				t.Errorf("trial %d: weight %d of %v is off by %g of %g", trial, m+1, w, rest, largest)
			}
		}
	}
}
