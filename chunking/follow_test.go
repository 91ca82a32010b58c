package chunking

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestFollow: through bounds that grow and shrink, norms that change and both precisions, each problem starts with the gradients of
// its alpha inside its box, ends at the optimum that it has from nothing, and all of them together in fewer iterations.
func TestFollow(t *testing.T) {
	rng := random(t, 71)
	p, x := cloud("follow", rng, 60, 3)
	p.k = [][]float64{gauss(x, 0.1), gauss(x, 1), linear(x, 0, 3)}
	for i := 1; i < 6; i++ { // rows that contradict each other are at their bounds for every cost
		p.y[10*i] = -p.y[10*i-1]
		for _, k := range p.k {
			n := len(p.y)
			for j := range n {
				k[10*i*n+j] = k[(10*i-1)*n+j]
			}
			for j := range n {
				k[j*n+10*i] = k[j*n+10*i-1]
			}
		}
	}
	factors := map[string]int{}
	all, separate := 0, 0
	for _, set := range []int{16, 60} {
		for _, norm := range norms {
			t.Run(fmt.Sprintf("p=%.5g, sets of %d", norm, set), func(t *testing.T) {
				d := newDense(len(p.y), p.k)
				var last *Solver
				total, cold := 0, 0
				for _, c := range []struct{ cost, norm float64 }{{0.2, norm}, {0.6, norm}, {6, norm}, {60, norm}, {6, norm}, {6, 1.5}, {0.5, 1.5}, {0.5, norm}} {
					here := *p
					here.cost = slices.Repeat([]float64{c.cost}, len(p.y))
					pose := func(d *dense) *Solver {
						return New(len(p.y), len(p.k), hinge(here.y, here.cost), NewBlockNorm(c.norm, nil), d, 1e-4, Tuning{WorkingSet: set})
					}
					s := pose(d)
					if last != nil {
						factors[fmt.Sprint(s.factor(last, last.norm.(*BlockNorm).p == c.norm) != 1)]++
						if err := s.Follow(t.Context(), last); err != nil {
							t.Fatal(err)
						}
						here.feasible(t, s.alpha)
						for m, g := range d.g {
							for i := range g {
								if want := dot(p.k[m][i*d.n:(i+1)*d.n], s.alpha); math.Abs(g[i]-want) > 1e-9*(1+c.cost) {
									t.Fatalf("C = %g: g of kernel %d at point %d is %.12g, of alpha it is %.12g", c.cost, m, i, g[i], want)
								}
							}
						}
						if s.double != last.double {
							t.Error("another precision")
						}
					}
					status, err := NewDriver(s, Limits{}).Run(t.Context())
					if err != nil || status != Converged {
						t.Fatalf("C = %g: %v, %v", c.cost, status, err)
					}
					got := s.Solution()
					here.consistent(t, c.norm, &iterate{alpha: got.Alpha, theta: got.Theta, cert: got.Certificate})
					alone := pose(newDense(len(p.y), p.k))
					if status, err := NewDriver(alone, Limits{}).Run(t.Context()); err != nil || status != Converged {
						t.Fatal(status, err)
					}
					if want := alone.Solution().Certificate; !near(got.Certificate.Dual, want.Dual, 2e-4) {
						t.Errorf("C = %g: dual %v, alone %v", c.cost, got.Certificate.Dual, want.Dual)
					}
					total, cold, last = total+got.Iterations, cold+alone.Solution().Iterations, s
				}
				t.Logf("%d iterations, %d from nothing", total, cold)
				all, separate = all+total, separate+cold
			})
		}
	}
	if 10*all > 9*separate {
		t.Errorf("%d iterations, %d from nothing", all, separate)
	}
	if factors["true"] == 0 || factors["false"] == 0 {
		t.Errorf("alpha is multiplied: %v", factors)
	}
}

// TestFollowTasks: the same for bounds on both sides, for none, and for a sum that is not 0.
func TestFollowTasks(t *testing.T) {
	rng := random(t, 72)
	p, x := cloud("tasks", rng, 40, 2)
	p.k = [][]float64{gauss(x, 0.2), linear(x, 0, 2)}
	y := make([]float64, len(p.y))
	for i := range y {
		y[i] = math.Sin(2*x[i][0]) + 0.2*rng.NormFloat64()
	}
	for _, task := range taskNames {
		for _, set := range []int{4, 40} {
			d := newDense(len(y), p.k)
			var last *Solver
			for _, c := range []struct{ cost, norm float64 }{{0.5, 1}, {5, 1}, {1, 1}, {1, 2}, {4, 2}} {
				pose := func(d *dense) *Solver {
					return New(len(y), len(p.k), taskLoss(task, y, nil, c.cost), NewBlockNorm(c.norm, nil), d, 1e-4, Tuning{WorkingSet: set})
				}
				s, alone := pose(d), pose(newDense(len(y), p.k))
				var err error
				switch l, one := s.loss.(*OneClass); {
				case last != nil:
					err = s.Follow(t.Context(), last)
				case one:
					err = s.Start(t.Context(), l.Feasible())
				}
				if l, one := s.loss.(*OneClass); one && err == nil {
					err = alone.Start(t.Context(), l.Feasible())
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, r := range []*Solver{s, alone} {
					if status, err := NewDriver(r, Limits{}).Run(t.Context()); err != nil || status != Converged {
						t.Fatalf("%s, C = %g, p = %g: %v, %v", task, c.cost, c.norm, status, err)
					}
				}
				if got, want := s.Solution().Certificate, alone.Solution().Certificate; math.Abs(got.Dual-want.Dual) > 2e-4*math.Abs(want.Primal) {
					t.Errorf("%s, C = %g, p = %g: dual %v, alone %v", task, c.cost, c.norm, got.Dual, want.Dual)
				}
				last = s
			}
		}
	}
}

// TestLowered: the sum falls by what is asked, or to 0, and only what is above the level has to go.
func TestLowered(t *testing.T) {
	rng := random(t, 73)
	for range 200 {
		x := make([]float64, rng.IntN(20))
		sum := 0.0
		for i := range x {
			x[i] = float64(1 + rng.IntN(5))
			sum += x[i]
		}
		by := float64(rng.IntN(40)) / 2
		level, left := lowered(slices.Clone(x), by), 0.0
		for _, v := range x {
			left += min(v, level)
		}
		if level < 0 || math.Abs(left-max(0, sum-by)) > 1e-12*sum {
			t.Fatalf("%v lowered to %g: the sum is %g, not %g less than %g", x, level, left, by, sum)
		}
	}
}
