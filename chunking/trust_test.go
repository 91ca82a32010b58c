package chunking

import (
	"context"
	"math"
	"slices"
	"testing"
)

// off is a gradient whose combined gradient differs from what is computed afresh by error(i).
type off struct {
	*dense
	error   func(i int) float64
	lost    []float64 // of V_m, for each point of the sample
	rebuilt []float64 // alpha of the last rebuild
}

func (o *off) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	o.rebuilt = slices.Clone(alpha)
	return o.dense.Rebuild(ctx, alpha, double)
}

func (o *off) Afresh(_ context.Context, sample []int, alpha, theta []float64) ([]float64, error) {
	exact := make([]float64, len(sample))
	for a, i := range sample {
		for m, k := range o.k {
			exact[a] += theta[m] * dot(k[i*o.n:(i+1)*o.n], alpha)
		}
		exact[a] += o.error(i)
	}
	return exact, nil
}

func (o *off) Deviations(_ context.Context, sample []int, d, alpha, e []float64) error {
	for m := range e {
		if e[m] = 0; o.lost != nil {
			e[m] = o.lost[m] * float64(len(sample))
		}
	}
	return nil
}

// TestDrift: rounding of support vectors and of other points counts, a common shift does not.
func TestDrift(t *testing.T) {
	rng := random(t, 1)
	p, x := cloud("drift", rng, 100, 2)
	p.k = [][]float64{gauss(x, 0.5), linear(x, 0, 2)}
	g := &off{dense: newDense(100, p.k)}
	s := New(100, 2, hinge(p.y, p.cost), NewBlockNorm(4.0/3, nil), g, 1e-2, Tuning{})
	g.error = func(int) float64 { return 0 }
	if status, err := NewDriver(s, Limits{Precision: Single}).Run(t.Context()); err != nil || status != Converged {
		t.Fatal(status, err)
	}
	drift := func(e func(i int) float64) float64 {
		t.Helper()
		g.error = e
		d, err := s.drift(t.Context(), g, trustValues)
		if err != nil || !(d >= 0) {
			t.Fatal(d, err)
		}
		return d
	}
	total := s.cert.Primal
	if d := drift(func(int) float64 { return 0 }); !(d <= 1e-12*total) {
		t.Errorf("no rounding: %v", d)
	}
	if d := drift(func(int) float64 { return 3 }); !(d <= 1e-11*total) {
		t.Errorf("a common shift: %v", d)
	}
	// The bias of the solution takes it up: with the values put right, the loss is the one that is certified.
	shifted := slices.Clone(s.combined)
	for i := range shifted {
		shifted[i] += 3
	}
	_, certified := s.loss.Primal(s.combined)
	if loss := s.loss.At(shifted, s.Solution().Certificate.Bias); !near(loss, certified, 1e-9) {
		t.Errorf("with the values put right and the bias of the solution the loss is %v, certified is %v", loss, certified)
	}
	// What becomes of the primal and of sum alpha f, with all points in the sample.
	noise := make([]float64, 100)
	for i := range noise {
		noise[i] = 0.01 * rng.NormFloat64()
	}
	right, energy := slices.Clone(s.combined), 0.0
	for i, e := range noise {
		right[i] += e
		energy += s.alpha[i] * e
	}
	_, before := s.loss.Primal(s.combined)
	_, after := s.loss.Primal(right)
	if d, least := drift(func(i int) float64 { return noise[i] }), max(math.Abs(after-before), math.Abs(energy)); !(d >= 0.5*least && d <= 20*least+1) {
		t.Errorf("drift %v, the loss moved by %v, sum alpha f by %v", d, after-before, energy)
	}
	// Points without weight that rounding takes over the margin.
	if d := drift(func(i int) float64 {
		if s.alpha[i] != 0 {
			return 0
		}
		return -10 * p.y[i]
	}); !(d >= 1) {
		t.Errorf("others far off: drift %v", d)
	}
	if d := drift(func(i int) float64 { return 0.1 * s.alpha[i] }); !(d >= 0.05*dot(s.alpha, s.alpha)) {
		t.Errorf("support vectors off by 0.1 alpha: drift %v", d)
	}
	// A kernel whose V_m has been lost has no weight in what is afresh, and is missing in ||v|| all the same.
	g.lost = []float64{0, 100 * s.V[1]}
	if d := drift(func(int) float64 { return 0 }); !(d >= s.V[1]) {
		t.Errorf("||v_2||^2 a hundred times as large, and a drift of %v", d)
	}
}

// TestClaim: a run that ends in single precision before it has converged claims what its gradients in double precision give, once
// rounding counts, and leaves them as they are where it does not.
func TestClaim(t *testing.T) {
	p, x := cloud("claim", random(t, 3), 60, 2)
	p.k = [][]float64{gauss(x, 0.5), linear(x, 0, 2)}
	for _, rounding := range []float64{0, 1e-9, 1e-2} {
		g := &off{dense: newDense(60, p.k), error: func(i int) float64 { return rounding * p.y[i] }}
		s := New(60, 2, hinge(p.y, p.cost), NewBlockNorm(4.0/3, nil), g, 1e-7, Tuning{})
		status, err := NewDriver(s, Limits{Precision: Single, Iterations: 2}).Run(t.Context())
		if err != nil || status != IterationLimit {
			t.Fatal(status, err)
		}
		if afresh := g.rebuilt != nil; afresh != (rounding > 1e-3) || s.Double() {
			t.Errorf("rounding of %g: gradients afresh %v, the solver in double precision %v", rounding, afresh, s.Double())
		}
	}
}

// TestDelicate: norms beyond p = 2 take nothing on trust: no single precision, and gradients computed afresh at the end.
func TestDelicate(t *testing.T) {
	p, x := cloud("delicate", random(t, 2), 40, 2)
	p.k = [][]float64{gauss(x, 0.5), linear(x, 0, 1), linear(x, 1, 2)}
	for _, norm := range norms {
		delicate := norm > 2
		for _, gap := range []float64{1e-2, 1e-5} {
			g := &off{dense: newDense(40, p.k), error: func(int) float64 { return 0 }}
			s := New(40, 3, hinge(p.y, p.cost), NewBlockNorm(norm, nil), g, gap, Tuning{})
			status, err := NewDriver(s, Limits{Iterations: 200}).Run(t.Context())
			if err != nil || status != Converged {
				t.Fatalf("p = %g, gap %g: %v, %v", norm, gap, status, err)
			}
			if (delicate || gap > WidenBelow) && s.Double() != delicate {
				t.Errorf("p = %g, gap %g: double precision %v, want %v", norm, gap, s.Double(), delicate)
			}
			if delicate && !slices.Equal(g.rebuilt, s.alpha) {
				t.Errorf("p = %g, gap %g: the last gradients were not computed afresh", norm, gap)
			}
		}
		s, _, _ := p.solver(norm, 1e-2)
		status, err := NewDriver(s, Limits{Precision: Single, Iterations: 200}).Run(t.Context())
		if err != nil || status != Converged || s.Double() != delicate {
			t.Errorf("p = %g in single precision: %v, %v, double precision %v", norm, status, err, s.Double())
		}
	}
}
