package chunking

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// iterate is a state of the solver after a step.
type iterate struct {
	alpha, theta []float64
	cert         Certificate
	smooth       float64 // dual value of the smoothed problem that the steps ascend
	level        int
	delta2       float64
}

// watched runs the solver and keeps every iterate.
func (p *problem) watched(t *testing.T, s *Solver, b *BlockNorm, l Limits) (Status, []iterate) {
	t.Helper()
	var all []iterate
	l.Record = func(Progress) error {
		r := s.Solution()
		norm := b.Weights(make([]float64, len(p.k)), p.energies(r.Alpha))
		all = append(all, iterate{r.Alpha, r.Theta, r.Certificate, dot(p.y, r.Alpha) - norm*norm/2, b.level, b.smoothing})
		return nil
	}
	status, err := NewDriver(s, l).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return status, all
}

// consistent checks one iterate: alpha is feasible, and the certificate is that of just this alpha, theta and bias.
func (p *problem) consistent(t *testing.T, norm float64, it *iterate) {
	t.Helper()
	p.feasible(t, it.alpha)
	c := it.cert
	primal, dual := p.primal(norm, it.alpha, it.theta, c.Bias), p.dual(norm, it.alpha, it.theta)
	rounding := 1e-9
	if norm > 2 {
		rounding = 1e-8 // of V_m ~ 1e-15, of which the square root is taken
	}
	scale := rounding * max(math.Abs(primal), math.Abs(dual))
	if !(math.Abs(c.Primal-primal) <= scale && math.Abs(c.Dual-dual) <= scale) {
		t.Errorf("certificate P = %.12g, D = %.12g; recomputed %.12g, %.12g", c.Primal, c.Dual, primal, dual)
	}
	want := 0.0
	if c.Primal != c.Dual {
		want = math.Abs(c.Primal-c.Dual) / max(math.Abs(c.Primal), math.Abs(c.Dual))
	}
	if c.RelativeGap != want {
		t.Errorf("relative gap %v of P = %v, D = %v", c.RelativeGap, c.Primal, c.Dual)
	}
}

// TestConvergence: every norm on every small problem reaches a relative gap of 1e-6; on the way every dual value is below
// every primal value, and the dual that is ascended never falls while the smoothing stays.
func TestConvergence(t *testing.T) {
	for _, p := range problems(random(t, 1)) {
		for _, norm := range norms {
			t.Run(fmt.Sprintf("%s/p=%.5g", p.name, norm), func(t *testing.T) {
				s, b, _ := p.solver(norm, 1e-6)
				status, all := p.watched(t, s, b, Limits{Iterations: 1000})
				r := s.Solution()
				if status != Converged || !(r.Certificate.RelativeGap <= 1e-6) {
					t.Fatalf("%s after %d iterations with gap %.3g", status, r.Iterations, r.Certificate.RelativeGap)
				}
				if r.Iterations > 300 {
					t.Errorf("%d iterations", r.Iterations)
				}
				p.consistent(t, norm, &iterate{alpha: r.Alpha, theta: r.Theta, cert: r.Certificate})
				rounding := 1e-11
				if norm > 2 {
					rounding = 1e-9 // of V_m ~ 0, of which the square root is taken
				}
				best := math.Inf(1)
				for i := range all {
					p.consistent(t, norm, &all[i])
					best = min(best, all[i].cert.Primal)
				}
				for i, it := range all {
					if it.cert.Dual > best+1e-12*math.Abs(best) {
						t.Errorf("iteration %d: dual %.15g above a primal value %.15g", i+1, it.cert.Dual, best)
					}
					if i == 0 || it.level != all[i-1].level || it.delta2 != all[i-1].delta2 {
						continue
					}
					if fall := all[i-1].smooth - it.smooth; fall > rounding*max(math.Abs(it.smooth), 1e-3*it.cert.Primal) {
						t.Errorf("iteration %d: the dual fell by %.3g from %.15g", i+1, fall, all[i-1].smooth)
					}
				}
				p.weights(t, norm, &r)
			})
		}
	}
}

// weights checks the weights of a solution: they solve the problem in theta for its alpha up to the gap, have norm 1, and
// belong to ||w_m||.
func (p *problem) weights(t *testing.T, norm float64, r *Solution) {
	t.Helper()
	v := p.energies(r.Alpha)
	share := 0.0
	for m, th := range r.Theta {
		if !(th >= 0) || math.IsInf(th, 1) {
			t.Errorf("theta[%d] = %v", m, th)
		}
		// V itself is a sum that cancels: all that is known of it is its absolute error.
		size := 0.0
		for i, a := range r.Alpha {
			size += math.Abs(a) * math.Sqrt(p.k[m][i*len(p.y)+i])
		}
		if got, want := r.WNorms[m]*r.WNorms[m], th*th*max(v[m], 0); !(math.Abs(got-want) <= 1e-12*want+1e-14*th*th*size*size) {
			t.Errorf("||w[%d]||^2 = %v, theta^2 V = %v", m, got, want)
		}
		if th > 0 && norm < 2 {
			share += math.Pow(th, norm/(2-norm))
		}
	}
	if norm < 2 && !near(share, 1, 1e-6) {
		t.Errorf("sum theta^(p/(2-p)) = %v: theta = %v", share, r.Theta)
	}
}

// TestIndefinite: with a kernel that is not positive semi-definite the gap proves nothing, but the run ends, alpha stays
// in its box, and the certificate is that of the solution.
func TestIndefinite(t *testing.T) {
	rng := random(t, 2)
	p, x := cloud("indefinite", rng, 40, 3)
	random := make([]float64, 40*40)
	for i := range 40 {
		for j := range i + 1 {
			random[i*40+j] = rng.NormFloat64()
			random[j*40+i] = random[i*40+j]
		}
	}
	p.k = [][]float64{gauss(x, 0.5), sigmoid(x), random}
	p.indefinite = []bool{false, true, true}
	for _, norm := range norms {
		t.Run(fmt.Sprintf("p=%.5g", norm), func(t *testing.T) {
			s, b, _ := p.solver(norm, 1e-3)
			_, all := p.watched(t, s, b, Limits{Iterations: 100})
			for i := range all {
				p.consistent(t, norm, &all[i])
				for m, v := range p.energies(all[i].alpha) {
					if v < -1e-9 && all[i].theta[m] != 0 {
						t.Errorf("iteration %d: V = %v has weight %v", i+1, v, all[i].theta[m])
					}
				}
			}
		})
	}
}

// TestStart: from the optimum, and from an optimum that has to be moved into a smaller box, a run is short.
func TestStart(t *testing.T) {
	rng := random(t, 3)
	p, x := cloud("start", rng, 50, 3)
	p.k = [][]float64{gauss(x, 0.1), gauss(x, 1), linear(x, 0, 3)}
	for _, norm := range norms {
		t.Run(fmt.Sprintf("p=%.5g", norm), func(t *testing.T) {
			s, _, _ := p.solver(norm, 1e-6)
			if status, err := NewDriver(s, Limits{}).Run(t.Context()); err != nil || status != Converged {
				t.Fatal(status, err)
			}
			want := s.Solution()
			again, _, _ := p.solver(norm, 1e-5)
			if err := again.Start(t.Context(), want.Alpha); err != nil {
				t.Fatal(err)
			}
			status, err := NewDriver(again, Limits{}).Run(t.Context())
			got := again.Solution()
			most := 2
			if norm > 2 {
				most = 12 // the way through the smoothed problems is gone again
			}
			if err != nil || status != Converged || got.Iterations > most {
				t.Errorf("%v, %v after %d iterations from the optimum", status, err, got.Iterations)
			}
			if !near(got.Certificate.Primal, want.Certificate.Primal, 2e-5) {
				t.Errorf("primal %v, before %v", got.Certificate.Primal, want.Certificate.Primal)
			}
			// A start outside the box and off the plane is repaired.
			half := *p
			half.cost = slices.Repeat([]float64{0.5}, len(p.y))
			wild := slices.Clone(want.Alpha)
			wild[0], wild[1] = 100, 7
			moved, b, _ := half.solver(norm, 1e-4)
			if err := moved.Start(t.Context(), wild); err != nil {
				t.Fatal(err)
			}
			half.consistent(t, norm, &iterate{alpha: moved.Solution().Alpha, theta: moved.Solution().Theta, cert: moved.Solution().Certificate})
			if status, _ := half.watched(t, moved, b, Limits{Iterations: 300}); status != Converged {
				t.Errorf("%s from a start outside the box", status)
			}
		})
	}
}

// TestSelected: with more points than a working set holds the run converges as well, in sets of the size it may have.
func TestSelected(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	rng := random(t, 4)
	p, x := cloud("selected", rng, 5*smallestSet/2, 3)
	for i := range x { // most points are at a bound
		x[i][0] += 0.8 * p.y[i]
	}
	p.k = [][]float64{gauss(x, 1), linear(x, 0, 3)}
	for _, norm := range []float64{1, 4.0 / 3} {
		s, b, d := p.solver(norm, 1e-4)
		status, all := p.watched(t, s, b, Limits{Iterations: 100})
		if status != Converged {
			t.Fatalf("p = %g: %s after %d iterations, gap %g", norm, status, s.iterations, s.cert.RelativeGap)
		}
		p.consistent(t, norm, &all[len(all)-1])
		for _, q := range d.sets {
			if q > smallestSet {
				t.Errorf("p = %g: a working set of %d points", norm, q)
			}
		}
		t.Logf("p = %g: %d iterations", norm, s.iterations)
	}
}
