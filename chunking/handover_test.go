package chunking_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
	"bigmkl/internal/toy"
)

// ill is a regression with a wide Gaussian, and more of other widths, whose targets are noise. With a large C it is badly
// conditioned.
func ill(n, kernels int) (y []float64, K [][]float64) {
	rng := rand.New(rand.NewPCG(21, 22))
	x := make([][]float64, n)
	for i := range x {
		x[i] = []float64{rng.NormFloat64(), rng.NormFloat64()}
		y = append(y, math.Sin(2*x[i][0])+0.3*rng.NormFloat64())
	}
	for m := range kernels {
		K = append(K, toy.Gauss(x, 0.05*float64(m+1)))
	}
	return y, K
}

// goOn resumes a solver in the state of a driver that was cut, with the gradients that its solver had, and runs it to its end.
func goOn(t *testing.T, s *Solver, to, from *gradienttest.Dense, state *State) {
	t.Helper()
	d := NewDriver(s, Limits{})
	to.G, to.Double = from.G, from.Double
	if err := d.Resume(state); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// illSolver has working sets of 8 points, and may take steps of so many.
func illSolver(y []float64, K [][]float64, most int) (*Solver, *gradienttest.Dense) {
	d := gradienttest.NewDense(len(y), K)
	s := New(len(y), len(K), loss.NewInsensitive(y, 1e4, nil, 0.05), norm.NewBlock(4.0/3, nil), d, 1e-4, Tuning{WorkingSet: 8})
	m := &Memory{}
	m.Hold(most)
	m.Lend(s)
	return s, d
}

// TestHandOver: where working sets make little progress, a few steps of all points reach the gap. Interrupted runs have
// the same bits, and without room for such steps the training takes many times as many iterations.
func TestHandOver(t *testing.T) {
	for _, kernels := range []int{1, 3} {
		y, K := ill(120, kernels)
		solve := func(most int, l Limits) (*Solver, *gradienttest.Dense, *Driver, Status) {
			s, d := illSolver(y, K, most)
			driver := NewDriver(s, l)
			status, err := driver.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return s, d, driver, status
		}
		s, d, _, status := solve(len(y), Limits{})
		whole, iterations := 0, s.Progress().Iteration
		for _, q := range d.Sets {
			if q == len(y) {
				whole++
			}
		}
		if status != Converged || whole == 0 || whole > 12 {
			t.Errorf("%d kernels: %s after %d iterations, %d of them of all points", kernels, status, iterations, whole)
		}
		without, _, _, _ := solve(0, Limits{Iterations: 5 * iterations})
		if without.Certificate().RelativeGap <= s.Certificate().RelativeGap {
			t.Errorf("%d kernels: working sets alone have a gap of %g", kernels, without.Certificate().RelativeGap)
		}
		want := s.Solution()
		for stop := 30; stop < iterations; stop += 1 + stop/20 {
			_, was, cut, _ := solve(len(y), Limits{Iterations: stop})
			again, now := illSolver(y, K, len(y))
			goOn(t, again, now, was, cut.State())
			if got := again.Solution(); !slices.Equal(got.Alpha, want.Alpha) || again.Progress().Iteration != iterations {
				t.Errorf("%d kernels: cut after %d iterations, a run has other dual variables", kernels, stop)
			}
		}
	}
}
