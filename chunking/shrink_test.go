package chunking_test

import (
	"context"
	"slices"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/toy"
)

// sleepy is a gradient that can leave points out, by the definition: their part of every vector
// stays as it was.
type sleepy struct {
	*gradienttest.Dense
	active        []int // nil: all
	shrunk, woken int
	least         int // fewest active points
}

func (s *sleepy) Shrink(_ context.Context, active []int, _ []float64) error {
	s.active = slices.Clone(active)
	s.shrunk++
	s.least = min(s.least, len(active))
	return nil
}

func (s *sleepy) Wake(ctx context.Context, alpha []float64) error {
	s.active = nil
	s.woken++
	return s.Dense.Rebuild(ctx, alpha, s.Double)
}

func (s *sleepy) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	s.active = nil
	return s.Dense.Rebuild(ctx, alpha, double)
}

func (s *sleepy) Pass(ctx context.Context, set []int, delta, alpha, theta, combined, v []float64) error {
	if s.active == nil {
		return s.Dense.Pass(ctx, set, delta, alpha, theta, combined, v)
	}
	for m, k := range s.K {
		for _, j := range s.active {
			for a, i := range set {
				s.G[m][j] += delta[a] * k[i*s.N+j]
			}
		}
	}
	for _, j := range s.active {
		combined[j] = 0
		for m := range s.K {
			combined[j] += theta[m] * s.G[m][j]
		}
	}
	return nil
}

// TestShrinking: a run that leaves points out converges to the optimum of one that does not, and
// its certificate covers all points.
func TestShrinking(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	rng := toy.Random(t, 1)
	p, x := toy.Cloud("shrinking", rng, 9*SmallestSet/2, 2)
	for i := range x { // most points are far from the margin, on either side
		x[i][0] += 1.5 * p.Y[i]
	}
	p.K = [][]float64{toy.Gauss(x, 0.5), toy.Linear(x, 0, 2)}
	for _, exponent := range []float64{1, 4.0 / 3} {
		want, _, _ := solverOf(p, exponent, 1e-5)
		if status, err := NewDriver(want, Limits{}).Run(t.Context()); err != nil || status != Converged {
			t.Fatal(status, err)
		}
		g := &sleepy{Dense: gradienttest.NewDense(len(p.Y), p.K), least: len(p.Y)}
		s := New(len(p.Y), len(p.K), hinge(p), norm.NewBlock(exponent, nil), g, 1e-5, Tuning{})
		stale := 0
		status, err := NewDriver(s, Limits{Record: func(Progress) error {
			for i, a := range s.Alpha() {
				if b := p.Y[i] * a; !(b >= 0 && b <= p.Cost[i]) {
					t.Fatalf("p = %g: alpha[%d] = %v", exponent, i, a)
				}
			}
			for _, i := range s.Set() {
				if _, ok := slices.BinarySearch(g.active, i); g.active != nil && !ok {
					t.Fatalf("p = %g: sleeping point %d is in the working set", exponent, i)
				}
			}
			if g.active != nil && stale < 3 { // it takes long
				stale += whileAsleep(t, p, exponent, s)
			}
			return nil
		}}).Run(t.Context())
		r := s.Solution()
		if stale == 0 {
			t.Errorf("p = %g: no certificate was checked while points slept", exponent)
		}
		if err != nil || status != Converged {
			t.Fatal(status, err)
		}
		if g.active != nil {
			t.Errorf("p = %g: %d points are active at the end", exponent, len(g.active))
		}
		if g.shrunk == 0 || g.woken == 0 || g.least > len(p.Y)*6/10 {
			t.Errorf("p = %g: shrunk %d times, woken %d times, at least %d of %d points active", exponent, g.shrunk, g.woken, g.least, len(p.Y))
		}
		p.Consistent(t, exponent, result(r))
		if !toy.Near(r.Certificate.Primal, want.Solution().Certificate.Primal, 2e-5) {
			t.Errorf("p = %g: primal %v, without shrinking %v", exponent, r.Certificate.Primal, want.Solution().Certificate.Primal)
		}
		t.Logf("p = %g: %d iterations, without shrinking %d; least active %d", exponent, r.Iterations, want.Solution().Iterations, g.least)
	}
}

// whileAsleep checks that the certificate is right although a part of the combined gradient is
// stale; that holds if every point is on the side of the margin that its stale value shows. It
// returns 1 if there was something to check.
func whileAsleep(t *testing.T, p *toy.Problem, exponent float64, s *Solver) int {
	t.Helper()
	r := s.Solution()
	n := len(r.Alpha)
	for i, y := range p.Y {
		f := 0.0
		for m, k := range p.K {
			f += s.Theta()[m] * toy.Dot(k[i*n:(i+1)*n], r.Alpha)
		}
		scale := r.Certificate.Scale()
		if (y*(f/scale+r.Certificate.Bias) < 1) != (y*(s.Combined()[i]/scale+r.Certificate.Bias) < 1) {
			return 0
		}
	}
	if want := p.Primal(exponent, r.Alpha, r.Theta, r.Certificate.Bias); !toy.Near(r.Certificate.Primal, want, 1e-8) {
		t.Errorf("p = %g, iteration %d: primal %.10g while points sleep, recomputed %.10g", exponent, r.Iterations, r.Certificate.Primal, want)
	}
	if want := p.Dual(exponent, r.Alpha, r.Theta); !toy.Near(r.Certificate.Dual, want, 1e-8) {
		t.Errorf("p = %g, iteration %d: dual %.10g while points sleep, recomputed %.10g", exponent, r.Iterations, r.Certificate.Dual, want)
	}
	return 1
}
