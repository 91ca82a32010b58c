package chunking_test

import (
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/toy"
)

// TestStaleSleepers: points that sleep on the wrong side of the margin hold up the gap. They are
// woken once the active points have little left to gain, long before no step moves anything, and
// the run ends at the optimum.
func TestStaleSleepers(t *testing.T) {
	rng := toy.Random(t, 3)
	p, x := toy.Cloud("stale", rng, 300, 2)
	p.K = [][]float64{toy.Gauss(x, 0.5), toy.Linear(x, 0, 2)}
	want, _, _ := solverOf(p, 4.0/3, 1e-6)
	if status, err := NewDriver(want, Limits{}).Run(t.Context()); err != nil || status != Converged {
		t.Fatal(status, err)
	}
	g := &sleepy{Dense: gradienttest.NewDense(len(p.Y), p.K), least: len(p.Y)}
	s := New(len(p.Y), len(p.K), hinge(p), norm.NewBlock(4.0/3, nil), g, 1e-4,
		Tuning{WorkingSet: 16, NoShrink: true})
	var active []int
	for i := range p.Y {
		if i%2 == 0 {
			active = append(active, i)
		}
	}
	const left = 3 // iteration after which every other point is left out, most of them violators
	woken := 0
	status, err := NewDriver(s, Limits{Iterations: 2000, Record: func(r Progress) error {
		switch {
		case r.Iteration == left:
			g.active = active
			s.SetActive(active)
		case r.Iteration > left && g.active == nil && woken == 0:
			woken = r.Iteration
		}
		return nil
	}}).Run(t.Context())
	if err != nil || status != Converged {
		t.Fatal(status, err)
	}
	if s.Mistaken() != 1 || g.woken != 1 {
		t.Errorf("mistaken %d times, woken %d times; want once each", s.Mistaken(), g.woken)
	}
	r := s.Solution()
	p.Consistent(t, 4.0/3, result(r))
	if got, want := r.Certificate.Dual, want.Solution().Certificate.Dual; !toy.Near(got, want, 1.1e-4) {
		t.Errorf("dual %v, want %v", got, want)
	}
	t.Logf("woken at iteration %d of %d", woken, r.Iterations)
}
