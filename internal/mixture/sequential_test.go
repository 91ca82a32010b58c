package mixture

import (
	"math"
	"math/rand/v2"
	"testing"

	"bigmkl/internal/testlevel"
)

// TestSequentialMinimalOptimisation: projections by pairs come to the dual value of those by chunks, at any
// cost, with rows of own components that are known, soft and hard responsibilities and several components
// of a kernel, and keep the sums.
func TestSequentialMinimalOptimisation(t *testing.T) {
	t.Parallel()
	// Steps of 7 meet all costs, lists of components and observations in some runs.
	stride := uint64(testlevel.Stride(7, 1))
	t.Logf("BIGMKL_SEED=%d", testlevel.Seed)
	for seed := testlevel.Seed % stride; seed < 24; seed += stride {
		rng := rand.New(rand.NewPCG(seed, 31))
		components, first := []int{0, 1, 2, 0, 1, 2}, 3
		if seed%3 == 0 {
			components, first = []int{1, 1, 0, 2, 2}, 2
		}
		cost := []float64{0.3, 5, 100, 1e4}[seed%4]
		p, d := random(20+rng.IntN(60), components, first, cost, 1e-6, true)
		if seed%2 == 0 {
			for range p.Positive {
				p.Observed = append(p.Observed, int32(1+rng.IntN(2)))
			}
		}
		for i := range p.Cost {
			p.Cost[i] *= 0.5 + rng.Float64()
		}
		o := Options{Restarts: 1, Rounds: 1, Seed: seed}
		want, err := NewSolver(p, d, o).Run(t.Context())
		if err != nil || !want.Reached {
			t.Errorf("seed %d: %v by chunks, P = %.9g, D = %.9g", seed, err, want.Primal, want.Dual)
		}
		o.Sequential = true
		got, err := NewSolver(p, d, o).Run(t.Context())
		if err != nil || !got.Reached {
			t.Errorf("seed %d, n = %d, C = %g: %v, P = %.9g, D = %.9g after %d lists, want %.9g", seed, p.rows(), cost, err, got.Primal, got.Dual, got.Chunks, want.Dual)
			continue
		}
		if math.Abs(got.Dual-want.Dual) > 1e-6*want.Dual {
			t.Errorf("seed %d: D = %.9g, by chunks %.9g", seed, got.Dual, want.Dual)
		}
		t.Logf("seed %d, n = %d, C = %g: %d lists, %d chunks", seed, p.rows(), cost, got.Chunks, want.Chunks)
		sums(t, p, got)
	}
}
