package chunking_test

import (
	"fmt"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/internal/toy"
)

// TestTinyOptima compares with an exhaustive search.
func TestTinyOptima(t *testing.T) {
	rng := toy.Random(t, 1)
	for _, n := range []int{2, 3, 4} {
		for _, kernels := range []int{1, 2} {
			for _, cost := range []float64{0.3, 3} {
				p, x := toy.Cloud("tiny", rng, n, 2)
				for i := range p.Cost {
					p.Cost[i] = cost * (0.5 + rng.Float64())
				}
				p.K = [][]float64{toy.Gauss(x, 0.5), toy.Times(toy.Linear(x, 0, 1), 2)}[:kernels]
				for _, exponent := range toy.Norms {
					t.Run(fmt.Sprintf("n=%d/M=%d/C=%g/p=%.5g", n, kernels, cost, exponent), func(t *testing.T) {
						s, _, _ := solverOf(p, exponent, 1e-7)
						status, err := NewDriver(s, Limits{Iterations: 500}).Run(t.Context())
						if err != nil {
							t.Fatal(err)
						}
						c := s.Solution().Certificate
						want := p.Optimum(func(alpha []float64) float64 { return p.Dual(exponent, alpha, nil) })
						if status != Converged || c.Dual > want+1e-7*want || c.Primal < want-1e-7*want || !toy.Near(c.Dual, want, 3e-7) {
							t.Errorf("%s: D = %.10g, P = %.10g, the optimum is %.10g", status, c.Dual, c.Primal, want)
						}
					})
				}
			}
		}
	}
}
