package gradient

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAddMeans: means of rows have the bits of sums of quotients, whatever the number of rows and columns.
func TestAddMeans(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(42, 1))
	for _, q := range []int{1, 3, 8, 32, 60} {
		for n := range 10 {
			matrix, got, want := make([]float64, n*q), make([]float64, n), make([]float64, n)
			for k := range matrix {
				matrix[k] = rng.NormFloat64() * math.Exp(10*rng.NormFloat64())
			}
			for i := range n {
				got[i] = float64(i)
				want[i] = got[i]
				for _, x := range matrix[i*q : (i+1)*q] {
					want[i] += x / float64(q)
				}
			}
			addMeans(got, matrix)
			for i := range n {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
					t.Errorf("row %d of %d, %d columns: %v, want %v", i, n, q, got[i], want[i])
				}
			}
		}
	}
}
