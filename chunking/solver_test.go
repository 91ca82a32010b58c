package chunking_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/toy"
)

// iterate is a state of the solver after a step.
type iterate struct {
	Solution
	smooth float64 // dual value of the smoothed problem that the steps ascend
	state  NormState
}

// watched runs the solver and keeps every iterate.
func watched(t *testing.T, p *toy.Problem, s *Solver, b *norm.Block, l Limits) (Status, []iterate) {
	t.Helper()
	var all []iterate
	l.Record = func(Progress) error {
		r := s.Solution()
		length := b.Weights(make([]float64, len(p.K)), p.Energies(r.Alpha))
		all = append(all, iterate{r, toy.Dot(p.Y, r.Alpha) - length*length/2, b.Snapshot()})
		return nil
	}
	status, err := NewDriver(s, l).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return status, all
}

// TestConvergence: every norm on every small problem reaches a relative gap of 1e-6; on the way
// every dual value is below every primal value, and the dual that is ascended never falls while the
// smoothing stays.
func TestConvergence(t *testing.T) {
	for _, p := range toy.Problems(toy.Random(t, 1)) {
		for _, exponent := range toy.Norms {
			t.Run(fmt.Sprintf("%s/p=%.5g", p.Name, exponent), func(t *testing.T) {
				s, b, _ := solverOf(p, exponent, 1e-6)
				status, all := watched(t, p, s, b, Limits{Iterations: 1000})
				r := s.Solution()
				if status != Converged || !(r.Certificate.RelativeGap <= 1e-6) {
					t.Fatalf("%s after %d iterations with gap %.3g", status, r.Iterations, r.Certificate.RelativeGap)
				}
				if r.Iterations > 300 {
					t.Errorf("%d iterations", r.Iterations)
				}
				p.Consistent(t, exponent, result(r))
				rounding := 1e-11
				if exponent > 2 {
					rounding = 1e-9 // of V_m ~ 0, of which the square root is taken
				}
				best := math.Inf(1)
				for i := range all {
					p.Consistent(t, exponent, result(all[i].Solution))
					best = min(best, all[i].Certificate.Primal)
				}
				for i, it := range all {
					if it.Certificate.Dual > best+1e-12*math.Abs(best) {
						t.Errorf("iteration %d: dual %.15g above a primal value %.15g", i+1, it.Certificate.Dual, best)
					}
					if i == 0 || it.state.Level != all[i-1].state.Level || it.state.Smoothing != all[i-1].state.Smoothing {
						continue
					}
					if fall := all[i-1].smooth - it.smooth; fall > rounding*max(math.Abs(it.smooth), 1e-3*it.Certificate.Primal) {
						t.Errorf("iteration %d: the dual fell by %.3g from %.15g", i+1, fall, all[i-1].smooth)
					}
				}
				p.Weighs(t, exponent, result(r))
			})
		}
	}
}

// TestIndefinite: with a kernel that is not positive semi-definite the gap proves nothing, but the
// run ends, alpha stays in its box, and the certificate belongs to the solution.
func TestIndefinite(t *testing.T) {
	rng := toy.Random(t, 2)
	p, x := toy.Cloud("indefinite", rng, 40, 3)
	random := make([]float64, 40*40)
	for i := range 40 {
		for j := range i + 1 {
			random[i*40+j] = rng.NormFloat64()
			random[j*40+i] = random[i*40+j]
		}
	}
	p.K = [][]float64{toy.Gauss(x, 0.5), toy.Sigmoid(x), random}
	p.Indefinite = []bool{false, true, true}
	for _, exponent := range toy.Norms {
		t.Run(fmt.Sprintf("p=%.5g", exponent), func(t *testing.T) {
			s, b, _ := solverOf(p, exponent, 1e-3)
			_, all := watched(t, p, s, b, Limits{Iterations: 100})
			for i := range all {
				p.Consistent(t, exponent, result(all[i].Solution))
				for m, v := range p.Energies(all[i].Alpha) {
					if v < -1e-9 && all[i].Theta[m] != 0 {
						t.Errorf("iteration %d: V = %v has weight %v", i+1, v, all[i].Theta[m])
					}
				}
			}
		})
	}
}

// TestStart: from the optimum, and from an optimum that has to be moved into a smaller box, a run
// is short.
func TestStart(t *testing.T) {
	rng := toy.Random(t, 3)
	p, x := toy.Cloud("start", rng, 50, 3)
	p.K = [][]float64{toy.Gauss(x, 0.1), toy.Gauss(x, 1), toy.Linear(x, 0, 3)}
	for _, exponent := range toy.Norms {
		t.Run(fmt.Sprintf("p=%.5g", exponent), func(t *testing.T) {
			s, _, _ := solverOf(p, exponent, 1e-6)
			if status, err := NewDriver(s, Limits{}).Run(t.Context()); err != nil || status != Converged {
				t.Fatal(status, err)
			}
			want := s.Solution()
			again, _, _ := solverOf(p, exponent, 1e-5)
			if err := again.Start(t.Context(), want.Alpha); err != nil {
				t.Fatal(err)
			}
			status, err := NewDriver(again, Limits{}).Run(t.Context())
			got := again.Solution()
			most := 2
			if exponent > 2 {
				most = 12 // the way through the smoothed problems is gone again
			}
			if err != nil || status != Converged || got.Iterations > most {
				t.Errorf("%v, %v after %d iterations from the optimum", status, err, got.Iterations)
			}
			if !toy.Near(got.Certificate.Primal, want.Certificate.Primal, 2e-5) {
				t.Errorf("primal %v, before %v", got.Certificate.Primal, want.Certificate.Primal)
			}
			// A start outside the box and off the plane is repaired.
			half := *p
			half.Cost = slices.Repeat([]float64{0.5}, len(p.Y))
			wild := slices.Clone(want.Alpha)
			wild[0], wild[1] = 100, 7
			moved, b, _ := solverOf(&half, exponent, 1e-4)
			if err := moved.Start(t.Context(), wild); err != nil {
				t.Fatal(err)
			}
			half.Consistent(t, exponent, result(moved.Solution()))
			if status, _ := watched(t, &half, moved, b, Limits{Iterations: 300}); status != Converged {
				t.Errorf("%s from a start outside the box", status)
			}
		})
	}
}

// TestSelected: with more points than a working set holds the run converges as well, in sets of the
// size it may have.
func TestSelected(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	rng := toy.Random(t, 4)
	p, x := toy.Cloud("selected", rng, 5*SmallestSet/2, 3)
	for i := range x { // most points are at a bound
		x[i][0] += 0.8 * p.Y[i]
	}
	p.K = [][]float64{toy.Gauss(x, 1), toy.Linear(x, 0, 3)}
	for _, exponent := range []float64{1, 4.0 / 3} {
		s, b, d := solverOf(p, exponent, 1e-4)
		status, all := watched(t, p, s, b, Limits{Iterations: 100})
		if status != Converged {
			t.Fatalf("p = %g: %s after %d iterations, gap %g", exponent, status, s.Solution().Iterations, s.Certificate().RelativeGap)
		}
		p.Consistent(t, exponent, result(all[len(all)-1].Solution))
		for _, q := range d.Sets {
			if q > SmallestSet {
				t.Errorf("p = %g: a working set of %d points", exponent, q)
			}
		}
		t.Logf("p = %g: %d iterations", exponent, s.Solution().Iterations)
	}
}
