package chunking_test

import (
	"context"
	"slices"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
	"bigmkl/internal/toy"
)

// sharpSolver poses two classes that a function separates, at p = 1 with a kernel for each feature. With C = 1e5 an error
// of 1e-8 in decision values is an error of 1e-3 in the primal value, and weights of the last rungs have such errors.
func sharpSolver(t *testing.T, gap float64) (*Solver, *gradienttest.Dense) {
	p, x := toy.Cloud("sharp", toy.Random(t, 31), 50, 5)
	p.K, p.Cost = nil, nil
	for j := range 5 {
		p.K = append(p.K, toy.Linear(x, j, j+1), toy.Gauss(columnOf(x, j), 0.3))
	}
	d := gradienttest.NewDense(len(p.Y), p.K)
	return New(len(p.Y), len(p.K), loss.NewHinge(p.Signs(), [2]float64{1e5, 1e5}, nil), norm.NewSum(nil), d, gap, Tuning{}), d
}

// columnOf gives feature j as the only one.
func columnOf(x [][]float64, j int) (list [][]float64) {
	for _, row := range x {
		list = append(list, row[j:j+1])
	}
	return list
}

// TestPinnedWeights: a large C at p = 1 converges where weights that follow V stall, and an interrupted run has the same bits.
func TestPinnedWeights(t *testing.T) {
	solve := func(l Limits) (*Solver, *gradienttest.Dense, *Driver, Status) {
		s, d := sharpSolver(t, 1e-6)
		driver := NewDriver(s, l)
		status, err := driver.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return s, d, driver, status
	}
	s, _, driver, status := solve(Limits{})
	iterations, want := s.Progress().Iteration, s.Solution()
	if status != Converged || !driver.State().Pinned {
		t.Fatalf("%s after %d iterations, a gap of %g, pinned: %v", status, iterations, s.Certificate().RelativeGap, driver.State().Pinned)
	}
	for stop := iterations - 60; stop < iterations; stop += 12 {
		_, was, cut, _ := solve(Limits{Iterations: stop})
		state := cut.State()
		again, now := sharpSolver(t, 1e-6)
		goOn(t, again, now, was, state)
		if got := again.Solution(); !slices.Equal(got.Theta, want.Theta) || again.Progress().Iteration != iterations {
			t.Errorf("cut after %d iterations of %d, a run has other weights", stop, iterations)
		}
		state.Finest = state.Finest[1:]
		if err := NewDriver(again, Limits{}).Resume(state); err == nil {
			t.Error("the state of another number of weights was resumed")
		}
	}
}

// TestStallAtTheLeastGap: a run that stalls ends with the least gap that it has had, within rounding.
func TestStallAtTheLeastGap(t *testing.T) {
	s, _ := sharpSolver(t, 1e-16)
	least := 1.0
	status, err := NewDriver(s, Limits{Record: func(p Progress) error {
		least = min(least, p.Certificate.RelativeGap)
		return nil
	}}).Run(t.Context())
	if err != nil || status != Stalled {
		t.Fatal(status, err)
	}
	if gap := s.Solution().Certificate.RelativeGap; gap > 2*least {
		t.Errorf("the run ends with a gap of %g, the least was %g", gap, least)
	}
}

// coarse is a gradient of rounded kernel values up to its first Rebuild in double precision.
type coarse struct {
	*off
	exact [][]float64
}

func (c *coarse) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	if double {
		c.K = c.exact
	}
	return c.Dense.Rebuild(ctx, alpha, double)
}

func (c *coarse) Afresh(ctx context.Context, sample []int, alpha, theta []float64) ([]float64, error) {
	exact := off{Dense: &gradienttest.Dense{N: c.N, K: c.exact}, error: c.error}
	return exact.Afresh(ctx, sample, alpha, theta)
}

// TestStallInSinglePrecision: at the end of a run in single precision the V of double precision differ from those in hand
// by more than the weights of a high rung bear. The weights stay, also where kernels may be indefinite.
func TestStallInSinglePrecision(t *testing.T) {
	p, x := toy.Cloud("single", toy.Random(t, 33), 60, 3)
	exact := [][]float64{toy.Gauss(x, 0.5), toy.Linear(x, 0, 3), toy.Poly(x, 2)}
	var rounded [][]float64
	for _, k := range exact {
		r := make([]float64, len(k))
		for i, v := range k {
			r[i] = float64(float32(v))
		}
		rounded = append(rounded, r)
	}
	for _, indefinite := range [][]bool{nil, {true, true, true}} {
		g := &coarse{off: &off{Dense: gradienttest.NewDense(60, rounded), error: func(int) float64 { return 0 }}, exact: exact}
		s := New(60, 3, hinge(p), norm.NewSum(indefinite), g, 1e-9, Tuning{})
		least := 1.0
		status, err := NewDriver(s, Limits{Precision: Single, Record: func(p Progress) error {
			least = min(least, p.Certificate.RelativeGap)
			return nil
		}}).Run(t.Context())
		if err != nil || status != Stalled {
			t.Fatal(status, err)
		}
		if gap := s.Solution().Certificate.RelativeGap; gap > 1e-4 {
			t.Errorf("indefinite: %v: the run ends with a gap of %g, the least in single precision was %g", indefinite, gap, least)
		}
	}
}
