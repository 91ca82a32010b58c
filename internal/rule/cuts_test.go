package rule

import (
	"bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/loss"
	"bigmkl/internal/toy"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestMaster: the weights of the master problem have norm 1. So the largest cut there is an
// upper bound of its optimum, and F of the multipliers, by its definition, is a lower one: together
// they prove it.
func TestMaster(t *testing.T) {
	rng := toy.Random(t, 31)
	for _, exponent := range []float64{1, 1.001, 1.01, 1.0667, 4.0 / 3, 1.9} {
		for _, kind := range []string{"plain", "twins", "zeros", "scales"} {
			for trial := range 12 {
				kernels, rounds := 1+rng.IntN(12), 1+rng.IntN(15)
				c := &cuts{norm: norm.NewBlock(exponent, nil), eta: math.Inf(-1)}
				theta := make([]float64, kernels)
				last := math.Inf(-1)
				for round := range rounds {
					v := make([]float64, kernels)
					for m := range v {
						v[m] = 10 * rng.Float64()
						switch {
						case kind == "twins" && m > 0 && m%2 == 0:
							v[m] = v[m-1]
						case kind == "zeros" && rng.IntN(2) == 0:
							v[m] = 0
						case kind == "scales":
							v[m] *= math.Pow(10, float64(m%7-3))
						}
					}
					v[rng.IntN(kernels)] += 0.1
					if kind == "twins" && round%3 == 2 { // the same cut again
						v = slices.Clone(c.energy[len(c.energy)-1])
						c.add(c.linear[len(c.linear)-1], v)
					} else {
						c.add(5+5*rng.Float64(), v)
					}
					c.solve(theta)
					name := fmt.Sprintf("p = %g, %s %d, round %d, %d kernels, %d cuts", exponent, kind, trial, round, kernels, len(c.linear))
					top, low, mixed := math.Inf(-1), 0.0, make([]float64, kernels)
					sum := 0.0
					for r, x := range c.lambda {
						top = max(top, c.linear[r]-toy.Dot(theta, c.energy[r])/2)
						low += x * c.linear[r]
						sum += x
						for m, e := range c.energy[r] {
							mixed[m] += x * e
						}
					}
					low -= norm.VectorNorm(mixed, toy.ConjugateOf(exponent)/2) / 2
					// A conjugate exponent of 1000 leaves a digit for each ten of its own.
					if slack := 1e-10 * max(10, math.Abs(top)); !(top-low <= slack) || !toy.Near(sum, 1, 1e-12) || c.eta > top+slack || c.eta < low-slack {
						t.Fatalf("%s: largest cut %.15g, lower bound %.15g, eta %.15g, multipliers sum to %v", name, top, low, c.eta, sum)
					}
					length := 0.0
					for _, x := range theta {
						length += math.Pow(x, exponent/(2-exponent))
					}
					if slices.Max(mixed) > 0 && !toy.Near(length, 1, 1e-9) {
						t.Errorf("%s: theta %v has norm %v", name, theta, length)
					}
					if round > 0 && c.eta < last-1e-10*max(10, math.Abs(last)) {
						t.Errorf("%s: the optimum fell from %.15g to %.15g with one cut more", name, last, c.eta)
					}
					last = c.eta
				}
			}
		}
	}
}

// TestCutsAreDropped: those that do not matter any more, for good.
func TestCutsAreDropped(t *testing.T) {
	rng := toy.Random(t, 32)
	c := &cuts{norm: norm.NewBlock(1.2, nil), eta: math.Inf(-1)}
	theta := make([]float64, 3)
	for round := range 60 {
		c.add(float64(round), []float64{rng.Float64(), rng.Float64(), rng.Float64()}) // each above those before
		c.solve(theta)
		if len(c.linear) > idleRounds+2 || len(c.energy) != len(c.linear) || len(c.lambda) != len(c.linear) || len(c.idle) != len(c.linear) {
			t.Fatalf("round %d: %d cuts", round, len(c.linear))
		}
	}
}

// visitor holds the weights at each of a list in turn, until alpha is optimal, and notes what it
// finds.
type visitor struct {
	list   [][]float64
	energy [][]float64
	second [][]float64
}

func (r *visitor) Ready(at *chunking.Point) bool { return at.Stuck || at.Gap <= 1e-13*at.Linear }

func (r *visitor) Move(ctx context.Context, at *chunking.Point, theta []float64) (bool, error) {
	if len(r.energy) == len(r.list) {
		return false, nil
	}
	if len(r.energy) > 0 || slices.Equal(at.Theta, r.list[0]) {
		h, err := at.Curvature(ctx)
		if err != nil {
			return false, err
		}
		r.energy, r.second = append(r.energy, slices.Clone(at.V)), append(r.second, h)
	}
	if len(r.energy) < len(r.list) {
		copy(theta, r.list[len(r.energy)])
	}
	return true, nil
}

// TestCurvatureOfJ: the second derivatives of J are the differences of its first, -V/2.
func TestCurvatureOfJ(t *testing.T) {
	rng := toy.Random(t, 33)
	p, x := toy.Cloud("curvature", rng, 30, 3)
	p.K = [][]float64{toy.Gauss(x, 0.2), toy.Gauss(x, 2), toy.Linear(x, 0, 3)}
	base := []float64{0.5, 0.2, 0.3}
	const step = 1e-4
	r := &visitor{list: [][]float64{base}}
	for m := range base {
		for _, sign := range []float64{1, -1} {
			theta := slices.Clone(base)
			theta[m] += sign * step
			r.list = append(r.list, theta)
		}
	}
	for name, l := range map[string]chunking.Loss{"hinge": hinge(p), "square": loss.NewLeastSquares(p.Y, 1, nil), "svr": loss.NewInsensitive(p.Y, 1, nil, 0.3)} {
		r.energy, r.second = nil, nil
		s := chunking.New(len(p.Y), 3, l, NewHeld(norm.NewBlock(1, nil), r, 3), gradienttest.NewDense(len(p.Y), p.K), 1e-15, chunking.Tuning{})
		if status, err := chunking.NewDriver(s, chunking.Limits{Iterations: 400}).Run(t.Context()); err != nil || len(r.energy) != len(r.list) {
			t.Fatalf("%s: %s after %d iterations, %d of %d weights visited, %v", name, status, s.Solution().Iterations, len(r.energy), len(r.list), err)
		}
		for m := range base {
			for l := range base {
				want := -(r.energy[1+2*m][l] - r.energy[2+2*m][l]) / (4 * step)
				if got := r.second[0][m*3+l]; math.Abs(got-want) > 1e-2*math.Abs(want)+1e-3 {
					t.Errorf("%s: J'' at %d, %d is %v, by differences %v", name, m+1, l+1, got, want)
				}
			}
		}
	}
}
