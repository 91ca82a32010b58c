package chunking_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/toy"
)

// TestFollow: through bounds that grow and shrink, norms that change and both precisions, each
// problem starts with the gradients of its alpha inside its box, ends at the optimum that it has
// from nothing, and all of them together in fewer iterations.
func TestFollow(t *testing.T) {
	rng := toy.Random(t, 71)
	p, x := toy.Cloud("follow", rng, 60, 3)
	p.K = [][]float64{toy.Gauss(x, 0.1), toy.Gauss(x, 1), toy.Linear(x, 0, 3)}
	for i := 1; i < 6; i++ { // rows that contradict each other are at their bounds for every cost
		p.Y[10*i] = -p.Y[10*i-1]
		for _, k := range p.K {
			n := len(p.Y)
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
		for _, exponent := range toy.Norms {
			t.Run(fmt.Sprintf("p=%.5g, sets of %d", exponent, set), func(t *testing.T) {
				d := gradienttest.NewDense(len(p.Y), p.K)
				var last *Solver
				total, cold := 0, 0
				for _, c := range []struct{ cost, exponent float64 }{{0.2, exponent}, {0.6, exponent}, {6, exponent}, {60, exponent}, {6, exponent}, {6, 1.5}, {0.5, 1.5}, {0.5, exponent}} {
					here := *p
					here.Cost = slices.Repeat([]float64{c.cost}, len(p.Y))
					pose := func(d *gradienttest.Dense) *Solver {
						return New(len(p.Y), len(p.K), hinge(&here), norm.NewBlock(c.exponent, nil), d, 1e-4, Tuning{WorkingSet: set})
					}
					s := pose(d)
					if last != nil {
						factors[fmt.Sprint(s.CommonFactor(last, last.Norm().(*norm.Block).P() == c.exponent) != 1)]++
						if err := s.Follow(t.Context(), last); err != nil {
							t.Fatal(err)
						}
						here.Feasible(t, s.Alpha())
						for m, g := range d.G {
							for i := range g {
								if want := toy.Dot(p.K[m][i*d.N:(i+1)*d.N], s.Alpha()); math.Abs(g[i]-want) > 1e-9*(1+c.cost) {
									t.Fatalf("C = %g: g of kernel %d at point %d is %.12g, of alpha it is %.12g", c.cost, m, i, g[i], want)
								}
							}
						}
						if s.Double() != last.Double() {
							t.Error("another precision")
						}
					}
					status, err := NewDriver(s, Limits{}).Run(t.Context())
					if err != nil || status != Converged {
						t.Fatalf("C = %g: %v, %v", c.cost, status, err)
					}
					got := s.Solution()
					here.Consistent(t, c.exponent, result(got))
					alone := pose(gradienttest.NewDense(len(p.Y), p.K))
					if status, err := NewDriver(alone, Limits{}).Run(t.Context()); err != nil || status != Converged {
						t.Fatal(status, err)
					}
					if want := alone.Solution().Certificate; !toy.Near(got.Certificate.Dual, want.Dual, 2e-4) {
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

// TestLowered: the sum falls by what is asked, or to 0, and only what is above the level has to go.
func TestLowered(t *testing.T) {
	rng := toy.Random(t, 73)
	for range 200 {
		x := make([]float64, rng.IntN(20))
		sum := 0.0
		for i := range x {
			x[i] = float64(1 + rng.IntN(5))
			sum += x[i]
		}
		by := float64(rng.IntN(40)) / 2
		level, left := Lowered(slices.Clone(x), by), 0.0
		for _, v := range x {
			left += min(v, level)
		}
		if level < 0 || math.Abs(left-max(0, sum-by)) > 1e-12*sum {
			t.Fatalf("%v lowered to %g: the sum is %g, not %g less than %g", x, level, left, by, sum)
		}
	}
}
