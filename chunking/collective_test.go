package chunking_test

import (
	"fmt"
	"math"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
	"bigmkl/internal/toy"
)

// coxProblem draws times that depend on the points, of which some are censored, with ties.
func coxProblem(t *testing.T, n int) (kernels [][]float64, times []float64) {
	rng := toy.Random(t, uint64(n))
	_, x := toy.Cloud("cox", rng, n, 3)
	times = make([]float64, n)
	for i := range times {
		times[i] = math.Ceil(20 * math.Exp(math.Sin(2*x[i][0])+0.5*x[i][1]) * rng.ExpFloat64())
		if rng.Float64() < 0.4 {
			times[i] = -times[i]
		}
	}
	times[0] = 1
	return [][]float64{toy.Gauss(x, 0.1), toy.Gauss(x, 1), toy.Linear(x, 0, 3), toy.Poly(x, 2)}, times
}

// TestCollective: Newton steps over all points solve the Cox problem for every norm, and from any start inside of the domain.
func TestCollective(t *testing.T) {
	for _, n := range []int{3, 40, 120} {
		kernels, times := coxProblem(t, n)
		even := make([]int32, len(kernels))
		for name, make := range map[string]func() Norm{
			"p=1":          func() Norm { return norm.NewBlock(1, nil) },
			"p=4/3":        func() Norm { return norm.NewBlock(4.0/3, nil) },
			"p=2":          func() Norm { return norm.NewBlock(2, nil) },
			"p=4":          func() Norm { return norm.NewBlock(4, nil) },
			"p=inf":        func() Norm { return norm.NewBlock(math.Inf(1), nil) },
			"hierarchical": func() Norm { return norm.NewHierarchical(4.0/3, 1.5, even, nil) },
			"elastic net":  func() Norm { return norm.NewElasticNet(0.5, nil) },
		} {
			for _, cost := range []float64{0.01, 1, 100} {
				t.Run(fmt.Sprintf("n=%d/%s/C=%g", n, name, cost), func(t *testing.T) {
					l := loss.NewCox(times, cost, nil)
					start := newStart(l, n)
					s := NewCollective(n, len(kernels), l, make(), gradienttest.NewDense(n, kernels), 1e-6)
					if err := s.Start(t.Context(), start); err != nil {
						t.Fatal(err)
					}
					got, status := run(t, s)
					t.Logf("%s, %d iterations, gap %g, primal %g", status, got.Iterations, got.Certificate.RelativeGap, got.Certificate.Primal)
					if status != Converged {
						t.Errorf("%s at %g", status, got.Certificate.RelativeGap)
					}
				})
			}
		}
	}
}

// newStart is where training begins: the response to the function 0.
func newStart(l Collective, n int) []float64 {
	alpha := make([]float64, n)
	l.Respond(make([]float64, n), alpha)
	return alpha
}
