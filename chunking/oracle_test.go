package chunking

import (
	"fmt"
	"math"
	"testing"
)

// optimum finds the largest dual value by nested golden sections over n - 1 of the variables: D is concave on every line.
func (p *problem) optimum(dual func(alpha []float64) float64) float64 {
	n := len(p.y)
	alpha := make([]float64, n)
	low, high := make([]float64, n), make([]float64, n)
	for i, y := range p.y {
		low[i], high[i] = min(0, y*p.cost[i]), max(0, y*p.cost[i])
	}
	var best func(at int, sum float64) float64
	best = func(at int, sum float64) float64 {
		if at == n-1 {
			alpha[at] = -sum
			return dual(alpha)
		}
		// What the variables behind can still balance.
		from, to := -sum, -sum
		for j := at + 1; j < n; j++ {
			from, to = from-high[j], to-low[j]
		}
		from, to = max(from, low[at]), min(to, high[at])
		value := func(a float64) float64 {
			alpha[at] = a
			return best(at+1, sum+a)
		}
		ratio := (math.Sqrt(5) - 1) / 2
		a, b := to-ratio*(to-from), from+ratio*(to-from)
		fa, fb := value(a), value(b)
		for range 36 {
			if fa >= fb {
				to, b, fb = b, a, fa
				a = to - ratio*(to-from)
				fa = value(a)
			} else {
				from, a, fa = a, b, fb
				b = from + ratio*(to-from)
				fb = value(b)
			}
		}
		return max(fa, fb, value(from), value(to))
	}
	return best(0, 0)
}

// TestTinyOptima compares with an exhaustive search.
func TestTinyOptima(t *testing.T) {
	rng := random(t, 1)
	for _, n := range []int{2, 3, 4} {
		for _, kernels := range []int{1, 2} {
			for _, cost := range []float64{0.3, 3} {
				p, x := cloud("tiny", rng, n, 2)
				for i := range p.cost {
					p.cost[i] = cost * (0.5 + rng.Float64())
				}
				p.k = [][]float64{gauss(x, 0.5), times(linear(x, 0, 1), 2)}[:kernels]
				for _, norm := range norms {
					t.Run(fmt.Sprintf("n=%d/M=%d/C=%g/p=%.5g", n, kernels, cost, norm), func(t *testing.T) {
						s, _, _ := p.solver(norm, 1e-7)
						status, err := NewDriver(s, Limits{Iterations: 500}).Run(t.Context())
						if err != nil {
							t.Fatal(err)
						}
						c := s.Solution().Certificate
						want := p.optimum(func(alpha []float64) float64 { return p.dual(norm, alpha, nil) })
						if status != Converged || c.Dual > want+1e-7*want || c.Primal < want-1e-7*want || !near(c.Dual, want, 3e-7) {
							t.Errorf("%s: D = %.10g, P = %.10g, the optimum is %.10g", status, c.Dual, c.Primal, want)
						}
					})
				}
			}
		}
	}
}
