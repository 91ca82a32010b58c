package loss_test

import (
	"fmt"
	"math"
	"testing"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/toy"
)

// TestFollowTasks: the same for bounds on both sides, for none, and for a sum that is not 0.
func TestFollowTasks(t *testing.T) {
	rng := toy.Random(t, 72)
	p, x := toy.Cloud("tasks", rng, 40, 2)
	p.K = [][]float64{toy.Gauss(x, 0.2), toy.Linear(x, 0, 2)}
	y := make([]float64, len(p.Y))
	for i := range y {
		y[i] = math.Sin(2*x[i][0]) + 0.2*rng.NormFloat64()
	}
	for _, task := range taskNames {
		for _, set := range []int{4, 40} {
			d := gradienttest.NewDense(len(y), p.K)
			var last *chunking.Solver
			for _, c := range []struct{ cost, exponent float64 }{{0.5, 1}, {5, 1}, {1, 1}, {1, 2}, {4, 2}} {
				pose := func(d *gradienttest.Dense) *chunking.Solver {
					return chunking.New(len(y), len(p.K), taskLoss(task, y, nil, c.cost), norm.NewBlock(c.exponent, nil), d, 1e-4, chunking.Tuning{WorkingSet: set})
				}
				s, alone := pose(d), pose(gradienttest.NewDense(len(y), p.K))
				l, one := taskLoss(task, y, nil, c.cost).(*loss.OneClass)
				var err error
				switch {
				case last != nil:
					err = s.Follow(t.Context(), last)
				case one:
					err = s.Start(t.Context(), l.Feasible())
				}
				if one && err == nil {
					err = alone.Start(t.Context(), l.Feasible())
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range []*chunking.Solver{s, alone} {
					if status, err := chunking.NewDriver(r, chunking.Limits{}).Run(t.Context()); err != nil || status != chunking.Converged {
						t.Fatalf("%s, C = %g, p = %g: %v, %v", task, c.cost, c.exponent, status, err)
					}
				}
				if got, want := s.Solution().Certificate, alone.Solution().Certificate; math.Abs(got.Dual-want.Dual) > 2e-4*math.Abs(want.Primal) {
					t.Errorf("%s, C = %g, p = %g: dual %v, alone %v", task, c.cost, c.exponent, got.Dual, want.Dual)
				}
				last = s
			}
		}
	}
}

// TestTasks solves problems of each task: the gap proves the result, the duals keep to their bounds
// and their sum.
func TestTasks(t *testing.T) {
	rng := toy.Random(t, 4)
	for _, n := range []int{3, 40, 150} {
		_, x := toy.Cloud("task", rng, n, 3)
		kernels := [][]float64{toy.Gauss(x, 0.1), toy.Gauss(x, 1), toy.Linear(x, 0, 3), toy.Poly(x, 2)}
		y, weight := make([]float64, n), make([]float64, n)
		for i := range y {
			y[i], weight[i] = math.Sin(2*x[i][0])+0.5*x[i][1]+0.2*rng.NormFloat64(), 0.5+rng.Float64()
		}
		for _, task := range taskNames {
			for _, exponent := range toy.Norms {
				for _, w := range [][]float64{nil, weight} {
					t.Run(fmt.Sprintf("%s/n=%d/p=%.5g/weights=%v", task, n, exponent, w != nil), func(t *testing.T) {
						testlevel.Sample(t, 4, 2)
						l := taskLoss(task, y, w, 2)
						s := chunking.New(n, len(kernels), l, norm.NewBlock(exponent, nil), gradienttest.NewDense(n, kernels), 1e-6, chunking.Tuning{WorkingSet: 32})
						total := 0.0
						if f, ok := l.(*loss.OneClass); ok {
							total = 1
							if err := s.Start(t.Context(), f.Feasible()); err != nil {
								t.Fatal(err)
							}
						}
						status, err := chunking.NewDriver(s, chunking.Limits{Iterations: 3000}).Run(t.Context())
						if err != nil {
							t.Fatal(err)
						}
						r := s.Solution()
						if status != chunking.Converged {
							t.Errorf("%s after %d iterations, gap %g", status, r.Iterations, r.Certificate.RelativeGap)
						}
						sum := -total
						f := make([]float64, n)
						for m, k := range kernels {
							for i := range f {
								f[i] += r.Theta[m] * toy.Dot(k[i*n:(i+1)*n], r.Alpha)
							}
						}
						energies := make([]float64, len(kernels))
						for i, a := range r.Alpha {
							low, high := l.Box(i)
							if a < low || a > high {
								t.Errorf("alpha[%d] = %g is not in [%g, %g]", i, a, low, high)
							}
							sum += a
							for m, k := range kernels {
								energies[m] += a * toy.Dot(k[i*n:(i+1)*n], r.Alpha)
							}
						}
						if math.Abs(sum) > 1e-9 {
							t.Errorf("alpha sums to %g more than it should", sum)
						}
						// The primal and the dual value by their definitions.
						ws := make([]float64, len(kernels))
						for m, th := range r.Theta {
							ws[m] = th * math.Sqrt(max(energies[m], 0))
						}
						primal := math.Pow(norm.VectorNorm(ws, exponent), 2)/2 + slowLoss(task, l, y, f, r.Certificate.Bias)
						vs := make([]float64, len(kernels))
						for m, v := range energies {
							vs[m] = math.Sqrt(max(v, 0))
						}
						dual := l.Linear(r.Alpha) - math.Pow(norm.VectorNorm(vs, toy.ConjugateOf(exponent)), 2)/2
						if scale := max(math.Abs(primal), math.Abs(dual)); math.Abs(primal-dual) > 1.1e-6*scale+1e-9 {
							t.Errorf("primal %.10g, dual %.10g, claimed %.10g and %.10g", primal, dual, r.Certificate.Primal, r.Certificate.Dual)
						}
					})
				}
			}
		}
	}
}
