package chunking_test

import (
	"context"
	"errors"
	"math"
	"os"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/toy"
)

// rounded is a gradient whose combined gradient is off by drift in single precision, in turn up and
// down, and by lasting in either; it counts how often it was asked.
type rounded struct {
	*gradienttest.Dense
	drift, lasting float64
	asked          int
}

func (r *rounded) Afresh(_ context.Context, sample []int, alpha, theta []float64) ([]float64, error) {
	if math.IsNaN(r.drift) {
		return nil, os.ErrInvalid
	}
	if len(sample) > 0 {
		r.asked++
	}
	exact := make([]float64, len(sample))
	for a, i := range sample {
		for m, k := range r.K {
			exact[a] += theta[m] * toy.Dot(k[i*r.N:(i+1)*r.N], alpha)
		}
		off := r.lasting
		if !r.Double {
			off += r.drift
		}
		exact[a] += off * float64(1-2*(a%2))
	}
	return exact, nil
}

// Deviations: rounding is in what Afresh gives, and none is lost.
func (r *rounded) Deviations(_ context.Context, _ []int, _, _, e []float64) error {
	clear(e)
	return nil
}

// TestPrecision: when a run goes on in double precision. A run in single precision that ends
// because of its rounding makes its claim from gradients in double, and has converged if these confirm
// it. What rounding in double precision makes of the gap is in the certificate: with that it is
// above the one asked for, whatever the gap itself is.
func TestPrecision(t *testing.T) {
	p, x := toy.Cloud("precision", toy.Random(t, 1), 40, 3)
	p.K = [][]float64{toy.Gauss(x, 0.1), toy.Gauss(x, 1)}
	for _, c := range []struct {
		name      string
		precision Precision
		gap       float64
		drift     float64
		lasting   float64
		double    bool
		claims    bool // from gradients in double precision
		want      Status
	}{
		{"drift is small", Auto, 1e-2, 1e-9, 0, false, false, Converged},
		{"empty means auto", "", 1e-2, 1e-9, 0, false, false, Converged},
		{"drift is large", Auto, 1e-2, 1, 0, true, false, Converged},
		{"single, drift is large", Single, 1e-2, 1, 0, false, true, Converged},
		{"double from the start", Double, 1e-2, 0, 0, true, false, Converged},
		{"double, drift is large", Double, 1e-2, 0, 1, true, false, Stalled},
		{"drift stays", Auto, 1e-2, 0, 1, true, false, Stalled},
		{"single, drift stays", Single, 1e-2, 0, 1, false, true, Stalled},
		{"a small gap needs double", Auto, 1e-6, 0, 0, true, false, Converged},
		{"single at a small gap", Single, 1e-6, 0, 0, false, false, Converged},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := &rounded{Dense: gradienttest.NewDense(len(p.Y), p.K), drift: c.drift, lasting: c.lasting}
			s := New(len(p.Y), len(p.K), hinge(p), norm.NewBlock(4.0/3, nil), g, c.gap, Tuning{})
			status, err := NewDriver(s, Limits{Precision: c.precision, Iterations: 200}).Run(t.Context())
			if err != nil || status != c.want {
				t.Fatal(status, err)
			}
			if g.Double != (c.double || c.claims) || s.Double() != c.double || s.Progress().Double != c.double {
				t.Errorf("double precision: gradient %v, solver %v, want %v", g.Double, s.Double(), c.double)
			}
			if gap := s.Solution().Certificate.RelativeGap; (gap <= c.gap) != (c.want == Converged) {
				t.Errorf("%s at a gap of %g, asked were %g", status, gap, c.gap)
			}
			// Once each: in single precision, in double, for the claim; and all over again while steps
			// may still help.
			if most := 3; g.asked == 0 || c.lasting == 0 && g.asked > most || g.asked > 2*(Chances+1) {
				t.Errorf("the drift was asked for %d times", g.asked)
			}
		})
	}
}

// TestLimits: a run ends where it is told to, and hands on errors.
func TestLimits(t *testing.T) {
	p, x := toy.Cloud("limits", toy.Random(t, 2), 40, 3)
	p.K = [][]float64{toy.Gauss(x, 0.1), toy.Gauss(x, 1)}
	s, _, _ := solverOf(p, 1.01, 1e-9)
	if status, err := NewDriver(s, Limits{Iterations: 2}).Run(t.Context()); status != IterationLimit || err != nil || s.Solution().Iterations != 2 {
		t.Errorf("%v, %v after %d iterations, limit 2", status, err, s.Solution().Iterations)
	}
	calls := 0
	stop := func() Status {
		if calls++; calls > 3 {
			return TimeLimit
		}
		return ""
	}
	s, _, _ = solverOf(p, 1.01, 1e-9)
	if status, err := NewDriver(s, Limits{Stop: stop}).Run(t.Context()); status != TimeLimit || err != nil || s.Solution().Iterations > 3 {
		t.Errorf("%v, %v after %d iterations, stopped before the fourth", status, err, s.Solution().Iterations)
	}
	s, _, _ = solverOf(p, 1.01, 1e-9)
	recorded := 0
	record := func(Progress) error { recorded++; return os.ErrClosed }
	if _, err := NewDriver(s, Limits{Record: record}).Run(t.Context()); !errors.Is(err, os.ErrClosed) || recorded != 1 {
		t.Errorf("%v after %d records, want the error of the first", err, recorded)
	}
	g := &rounded{Dense: gradienttest.NewDense(len(p.Y), p.K), drift: math.NaN()}
	s = New(len(p.Y), len(p.K), hinge(p), norm.NewBlock(1.01, nil), g, 1e-2, Tuning{})
	if _, err := NewDriver(s, Limits{}).Run(t.Context()); !errors.Is(err, os.ErrInvalid) {
		t.Errorf("%v, want the error of Afresh", err)
	}
}

// TestStalled: a gap that no arithmetic reaches ends the run, and does not go on for ever.
func TestStalled(t *testing.T) {
	p, x := toy.Cloud("stalled", toy.Random(t, 3), 30, 2)
	p.K = [][]float64{toy.Gauss(x, 0.1), toy.Linear(x, 0, 2)}
	for _, exponent := range toy.Norms {
		s, _, _ := solverOf(p, exponent, 1e-300)
		status, err := NewDriver(s, Limits{Iterations: 5000}).Run(t.Context())
		if gap := s.Solution().Certificate.RelativeGap; err != nil || status == IterationLimit || !(gap < 1e-7) {
			t.Errorf("p = %g: %v, %v after %d iterations, gap %g", exponent, status, err, s.Solution().Iterations, gap)
		}
	}
}

// TestOneClass: without a second class alpha = 0 is optimal at once.
func TestOneClass(t *testing.T) {
	for _, label := range []float64{1, -1} {
		p, x := toy.Cloud("one class", toy.Random(t, 4), 20, 2)
		for i := range p.Y {
			p.Y[i] = label
		}
		p.K = [][]float64{toy.Gauss(x, 1)}
		s, _, _ := solverOf(p, 4.0/3, 1e-6)
		status, err := NewDriver(s, Limits{Iterations: 5}).Run(t.Context())
		if c := s.Solution().Certificate; err != nil || status != Converged || c.Primal != 0 || c.Dual != 0 || c.Bias*label < 1 {
			t.Errorf("label %g: %v, %v, %+v", label, status, err, c)
		}
	}
}

// TestProgress: the kernels with a weight that counts.
func TestProgress(t *testing.T) {
	p, x := toy.Cloud("progress", toy.Random(t, 5), 40, 3)
	p.K = [][]float64{toy.Gauss(x, 0.5), make([]float64, 40*40), toy.Times(toy.Gauss(x, 0.5), 1e-16)}
	s, _, _ := solverOf(p, 4.0/3, 1e-4)
	if a := s.Progress().Active; a != 0 {
		t.Errorf("%d active kernels at alpha = 0", a)
	}
	if _, err := NewDriver(s, Limits{Iterations: 50}).Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a := s.Progress().Active; a != 1 {
		t.Errorf("%d active kernels, want 1; ||w|| = %v", a, s.Solution().WNorms)
	}
	if r := s.Solution(); r.Theta[1] != 0 || r.WNorms[1] != 0 {
		t.Errorf("a kernel of zeros has theta %v, ||w|| %v", r.Theta[1], r.WNorms[1])
	}
}
