package chunking

import (
	"context"
	"slices"
	"testing"
)

// sleepy is a gradient that can leave points out, by the definition: their part of every vector stays as it was.
type sleepy struct {
	*dense
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
	return s.dense.Rebuild(ctx, alpha, s.double)
}

func (s *sleepy) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	s.active = nil
	return s.dense.Rebuild(ctx, alpha, double)
}

func (s *sleepy) Pass(ctx context.Context, set []int, delta, alpha, theta, combined, v []float64) error {
	if s.active == nil {
		return s.dense.Pass(ctx, set, delta, alpha, theta, combined, v)
	}
	for m, k := range s.k {
		for _, j := range s.active {
			for a, i := range set {
				s.g[m][j] += delta[a] * k[i*s.n+j]
			}
		}
	}
	for _, j := range s.active {
		combined[j] = 0
		for m := range s.k {
			combined[j] += theta[m] * s.g[m][j]
		}
	}
	return nil
}

// TestShrinking: a run that leaves points out converges to the optimum of one that does not, and its certificate is that of
// all points.
func TestShrinking(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	rng := random(t, 1)
	p, x := cloud("shrinking", rng, 9*smallestSet/2, 2)
	for i := range x { // most points are far from the margin, on either side
		x[i][0] += 1.5 * p.y[i]
	}
	p.k = [][]float64{gauss(x, 0.5), linear(x, 0, 2)}
	for _, norm := range []float64{1, 4.0 / 3} {
		want, _, _ := p.solver(norm, 1e-5)
		if status, err := NewDriver(want, Limits{}).Run(t.Context()); err != nil || status != Converged {
			t.Fatal(status, err)
		}
		g := &sleepy{dense: newDense(len(p.y), p.k), least: len(p.y)}
		s := New(len(p.y), len(p.k), hinge(p.y, p.cost), NewBlockNorm(norm, nil), g, 1e-5, Tuning{})
		stale := 0
		status, err := NewDriver(s, Limits{Record: func(Progress) error {
			for i, a := range s.alpha {
				if b := p.y[i] * a; !(b >= 0 && b <= p.cost[i]) {
					t.Fatalf("p = %g: alpha[%d] = %v", norm, i, a)
				}
			}
			for _, i := range s.set {
				if _, ok := slices.BinarySearch(g.active, i); g.active != nil && !ok {
					t.Fatalf("p = %g: sleeping point %d is in the working set", norm, i)
				}
			}
			if g.active != nil && stale < 3 { // it takes long
				stale += p.whileAsleep(t, norm, s)
			}
			return nil
		}}).Run(t.Context())
		r := s.Solution()
		if stale == 0 {
			t.Errorf("p = %g: no certificate was checked while points slept", norm)
		}
		if err != nil || status != Converged {
			t.Fatal(status, err)
		}
		if g.active != nil {
			t.Errorf("p = %g: %d points are active at the end", norm, len(g.active))
		}
		if g.shrunk == 0 || g.woken == 0 || g.least > len(p.y)*6/10 {
			t.Errorf("p = %g: shrunk %d times, woken %d times, at least %d of %d points active", norm, g.shrunk, g.woken, g.least, len(p.y))
		}
		p.consistent(t, norm, &iterate{alpha: r.Alpha, theta: r.Theta, cert: r.Certificate})
		if !near(r.Certificate.Primal, want.Solution().Certificate.Primal, 2e-5) {
			t.Errorf("p = %g: primal %v, without shrinking %v", norm, r.Certificate.Primal, want.Solution().Certificate.Primal)
		}
		t.Logf("p = %g: %d iterations, without shrinking %d; least active %d", norm, r.Iterations, want.iterations, g.least)
	}
}

// whileAsleep checks that the certificate is right although a part of the combined gradient is stale; that holds if every
// point is on the side of the margin that its stale value says. It returns 1 if there was something to check.
func (p *problem) whileAsleep(t *testing.T, norm float64, s *Solver) int {
	t.Helper()
	r := s.Solution()
	n := len(r.Alpha)
	for i, y := range p.y {
		f := 0.0
		for m, k := range p.k {
			f += s.theta[m] * dot(k[i*n:(i+1)*n], r.Alpha)
		}
		scale := r.Certificate.scale
		if (y*(f/scale+r.Certificate.Bias) < 1) != (y*(s.combined[i]/scale+r.Certificate.Bias) < 1) {
			return 0
		}
	}
	if want := p.primal(norm, r.Alpha, r.Theta, r.Certificate.Bias); !near(r.Certificate.Primal, want, 1e-8) {
		t.Errorf("p = %g, iteration %d: primal %.10g while points sleep, recomputed %.10g", norm, r.Iterations, r.Certificate.Primal, want)
	}
	if want := p.dual(norm, r.Alpha, r.Theta); !near(r.Certificate.Dual, want, 1e-8) {
		t.Errorf("p = %g, iteration %d: dual %.10g while points sleep, recomputed %.10g", norm, r.Iterations, r.Certificate.Dual, want)
	}
	return 1
}
