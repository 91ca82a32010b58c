package chunking_test

import (
	"context"
	"math"
	"slices"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/toy"
)

// off is a gradient whose combined gradient differs from a new computation by error(i).
type off struct {
	*gradienttest.Dense
	error   func(i int) float64
	lost    []float64 // of V_m, for each point of the sample
	lengths int       // calls of Deviations
	rebuilt []float64 // alpha of the last rebuild
}

func (o *off) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	o.rebuilt = slices.Clone(alpha)
	return o.Dense.Rebuild(ctx, alpha, double)
}

func (o *off) Afresh(_ context.Context, sample []int, alpha, theta []float64) ([]float64, error) {
	exact := make([]float64, len(sample))
	for a, i := range sample {
		for m, k := range o.K {
			exact[a] += theta[m] * toy.Dot(k[i*o.N:(i+1)*o.N], alpha)
		}
		exact[a] += o.error(i)
	}
	return exact, nil
}

func (o *off) Deviations(_ context.Context, sample []int, d, alpha, e []float64) error {
	o.lengths++
	for m := range e {
		if e[m] = 0; o.lost != nil {
			e[m] = o.lost[m] * float64(len(sample))
		}
	}
	return nil
}

// TestDrift: rounding of support vectors and of other points counts, a common shift does not.
func TestDrift(t *testing.T) {
	rng := toy.Random(t, 1)
	p, x := toy.Cloud("drift", rng, 100, 2)
	p.K = [][]float64{toy.Gauss(x, 0.5), toy.Linear(x, 0, 2)}
	g := &off{Dense: gradienttest.NewDense(100, p.K)}
	s := New(100, 2, hinge(p), norm.NewBlock(4.0/3, nil), g, 1e-2, Tuning{})
	g.error = func(int) float64 { return 0 }
	if status, err := NewDriver(s, Limits{Precision: Single}).Run(t.Context()); err != nil || status != Converged {
		t.Fatal(status, err)
	}
	drift := func(e func(i int) float64) float64 {
		t.Helper()
		g.error = e
		d, err := s.Drift(t.Context(), g, TrustValues, math.Inf(1))
		if err != nil || !(d >= 0) {
			t.Fatal(d, err)
		}
		return d
	}
	total := s.Certificate().Primal
	if d := drift(func(int) float64 { return 0 }); !(d <= 1e-12*total) {
		t.Errorf("no rounding: %v", d)
	}
	if d := drift(func(int) float64 { return 3 }); !(d <= 1e-11*total) {
		t.Errorf("a common shift: %v", d)
	}
	// The bias of the solution takes it up: with the values put right, the loss is the one that is
	// certified.
	shifted := slices.Clone(s.Combined())
	for i := range shifted {
		shifted[i] += 3
	}
	_, certified := s.Loss().Primal(s.Combined())
	if loss := s.Loss().At(shifted, s.Solution().Certificate.Bias); !toy.Near(loss, certified, 1e-9) {
		t.Errorf("with the values put right and the bias of the solution the loss is %v, certified is %v", loss, certified)
	}
	// What becomes of the primal and of sum alpha f, with all points in the sample.
	noise := make([]float64, 100)
	for i := range noise {
		noise[i] = 0.01 * rng.NormFloat64()
	}
	right, energy := slices.Clone(s.Combined()), 0.0
	for i, e := range noise {
		right[i] += e
		energy += s.Alpha()[i] * e
	}
	_, before := s.Loss().Primal(s.Combined())
	_, after := s.Loss().Primal(right)
	if d, least := drift(func(i int) float64 { return noise[i] }), max(math.Abs(after-before), math.Abs(energy)); !(d >= 0.5*least && d <= 20*least+1) {
		t.Errorf("drift %v, the loss moved by %v, sum alpha f by %v", d, after-before, energy)
	}
	// Points without weight that rounding takes over the margin.
	if d := drift(func(i int) float64 {
		if s.Alpha()[i] != 0 {
			return 0
		}
		return -10 * p.Y[i]
	}); !(d >= 1) {
		t.Errorf("others far off: drift %v", d)
	}
	if d := drift(func(i int) float64 { return 0.1 * s.Alpha()[i] }); !(d >= 0.05*toy.Dot(s.Alpha(), s.Alpha())) {
		t.Errorf("support vectors off by 0.1 alpha: drift %v", d)
	}
	// A kernel whose V_m has been lost has no weight in the new computation, and is missing in ||v|| all
	// the same.
	g.lost = []float64{0, 100 * s.Energies()[1]}
	if d := drift(func(int) float64 { return 0 }); !(d >= s.Energies()[1]) {
		t.Errorf("||v_2||^2 a hundred times as large, and a drift of %v", d)
	}
	// A V_m that has become a negative number is lost, whether the sample puts it right or leaves it below 0. That of an
	// indefinite kernel is below 0 by far more than a sample deviates, and is not in ||v||.
	v, support := s.Energies()[1], 0.0
	for _, a := range s.Alpha() {
		if a != 0 {
			support++
		}
	}
	s.Energies()[1] = -10 * v
	for _, c := range []struct{ found, least, most float64 }{{12 * v, v / 8, math.Inf(1)}, {8 * v, v / 8, math.Inf(1)}, {1e-3 * v, 0, 0}} {
		g.lost = []float64{0, c.found / support}
		if d := drift(func(int) float64 { return 0 }); !(d >= c.least && d <= c.most+1e-9*total) {
			t.Errorf("||v_2||^2 of %v in place of %v, and a drift of %v", c.found-10*v, -10*v, d)
		}
	}
	s.Energies()[1] = v
	// The drift of the function alone is enough if it is very large.
	g.error, g.lengths = func(i int) float64 { return noise[i] }, 0
	whole, err := s.Drift(t.Context(), g, TrustValues, math.Inf(1))
	if err != nil || g.lengths != 1 {
		t.Fatal(err, g.lengths)
	}
	alone, err := s.Drift(t.Context(), g, TrustValues, 0)
	if err != nil || !(alone > 0 && alone < whole) || g.lengths != 1 {
		t.Errorf("the function has drifted by %v, with its lengths by %v, which were asked for %d times: %v", alone, whole, g.lengths, err)
	}
}

// TestClaim: a run that ends in single precision before it has converged claims what its gradients
// in double precision give, once rounding counts, and leaves them as they are where it does not.
func TestClaim(t *testing.T) {
	p, x := toy.Cloud("claim", toy.Random(t, 3), 60, 2)
	p.K = [][]float64{toy.Gauss(x, 0.5), toy.Linear(x, 0, 2)}
	for _, rounding := range []float64{0, 1e-9, 1e-2} {
		g := &off{Dense: gradienttest.NewDense(60, p.K), error: func(i int) float64 { return rounding * p.Y[i] }}
		s := New(60, 2, hinge(p), norm.NewBlock(4.0/3, nil), g, 1e-7, Tuning{})
		status, err := NewDriver(s, Limits{Precision: Single, Iterations: 2}).Run(t.Context())
		if err != nil || status != IterationLimit {
			t.Fatal(status, err)
		}
		if afresh := g.rebuilt != nil; afresh != (rounding > 1e-3) || s.Double() {
			t.Errorf("rounding of %g: gradients afresh %v, the solver in double precision %v", rounding, afresh, s.Double())
		}
	}
}

// TestDelicate: norms beyond p = 2 rely on nothing: no single precision, and gradients
// computed again at the end.
func TestDelicate(t *testing.T) {
	p, x := toy.Cloud("delicate", toy.Random(t, 2), 40, 2)
	p.K = [][]float64{toy.Gauss(x, 0.5), toy.Linear(x, 0, 1), toy.Linear(x, 1, 2)}
	for _, exponent := range toy.Norms {
		delicate := exponent > 2
		for _, gap := range []float64{1e-2, 1e-5} {
			g := &off{Dense: gradienttest.NewDense(40, p.K), error: func(int) float64 { return 0 }}
			s := New(40, 3, hinge(p), norm.NewBlock(exponent, nil), g, gap, Tuning{})
			status, err := NewDriver(s, Limits{Iterations: 200}).Run(t.Context())
			if err != nil || status != Converged {
				t.Fatalf("p = %g, gap %g: %v, %v", exponent, gap, status, err)
			}
			if (delicate || gap > WidenBelow) && s.Double() != delicate {
				t.Errorf("p = %g, gap %g: double precision %v, want %v", exponent, gap, s.Double(), delicate)
			}
			if delicate && !slices.Equal(g.rebuilt, s.Alpha()) {
				t.Errorf("p = %g, gap %g: the last gradients were not computed afresh", exponent, gap)
			}
		}
		s, _, _ := solverOf(p, exponent, 1e-2)
		status, err := NewDriver(s, Limits{Precision: Single, Iterations: 200}).Run(t.Context())
		if err != nil || status != Converged || s.Double() != delicate {
			t.Errorf("p = %g in single precision: %v, %v, double precision %v", exponent, status, err, s.Double())
		}
	}
}
