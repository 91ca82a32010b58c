package chunking_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	. "bigmkl/chunking"
	"bigmkl/chunking/norm"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/toy"
)

// TestExpansion: the weights of an expansion are those from before the rung up to a factor, they belong to
// its V, and the weights of its ascent follow the tangent from there to the V in hand. Norms without
// rungs have no expansion.
func TestExpansion(t *testing.T) {
	rng := toy.Random(t, 71)
	const n = 12
	p, x := toy.Cloud("expansion", rng, n, 3)
	p.K = [][]float64{toy.Gauss(x, 0.2), toy.Gauss(x, 1), toy.Linear(x, 0, 3), toy.Poly(x, 2)}
	for name, one := range map[string]Norm{
		"p = 1":       norm.NewBlock(1, nil),
		"squared":     norm.NewSquared(1, 0.5, nil),
		"importances": norm.NewWeighted(norm.NewBlock(1, nil), []float64{1, 0.5, 3, 0}),
	} {
		t.Run(name, func(t *testing.T) {
			dense := gradienttest.NewDense(n, p.K)
			s := New(n, len(p.K), hinge(p), one, dense, 1e-3, Tuning{})
			alpha := make([]float64, n)
			for i, y := range p.Y {
				alpha[i] = y * (0.2 + 0.5*rng.Float64())
			}
			if err := s.Start(t.Context(), alpha); err != nil {
				t.Fatal(err)
			}
			for rung := range 4 {
				before := slices.Clone(s.Theta())
				if !one.(Adaptive).Sharpen(false) {
					t.Fatal("no rung is left")
				}
				theta, V, ascent := s.ExpandAt(before)
				top := slices.Index(before, slices.Max(before))
				scale := theta[top] / before[top]
				again := make([]float64, len(V))
				one.Weights(again, V)
				for m := range theta {
					if before[m] < 1e-100 {
						continue // Powers of weights this small leave the range of numbers.
					}
					if !toy.Near(theta[m], scale*before[m], 1e-9) || !toy.Near(again[m], theta[m], 1e-9) {
						t.Errorf("rung %d: weights %v of V = %v, before %v", rung, theta, V, before)
					}
				}
				// The difference quotient along the way from its V to those in hand.
				h := 1e-5 / math.Pow(4, float64(rung))
				up, down := slices.Clone(V), slices.Clone(V)
				for m := range V {
					up[m] += h * (s.Energies()[m] - V[m])
					down[m] -= h * (s.Energies()[m] - V[m])
				}
				one.Weights(again, up)
				slope := slices.Clone(again)
				one.Weights(again, down)
				for m := range theta {
					if want := theta[m] + (slope[m]-again[m])/(2*h); !toy.Near(ascent[m], want, 1e-6) {
						t.Errorf("rung %d, kernel %d: the ascent is at weight %v, the tangent at %v", rung, m, ascent[m], want)
					}
				}
				if err := s.Reweigh(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	s, _, _ := solverOf(p, 4.0/3, 1e-3)
	if theta, _, _ := s.ExpandAt([]float64{1, 1, 1, 1}); theta != nil {
		t.Error("an expansion for a norm without rungs")
	}
}

// climbing records the weights before each rung.
type climbing struct {
	*norm.Block
	before func()
}

func (c climbing) Sharpen(near bool) bool {
	c.before()
	return c.Block.Sharpen(near)
}

// TestRungs: the step after a rung keeps the weights of kernels that matter. Weights of the same V would go to
// their fourth powers.
func TestRungs(t *testing.T) {
	rng := toy.Random(t, 72)
	rungs := 0
	for range 20 {
		const n = 80
		p, x := toy.Cloud("rungs", rng, n, 4)
		p.K = nil
		for j := range 4 {
			p.K = append(p.K, toy.Linear(x, j, j+1), toy.Gauss(x, math.Pow(4, float64(j-2))))
		}
		for i := range p.Cost {
			p.Cost[i] = 10
		}
		var s *Solver
		var before []float64
		c := climbing{norm.NewBlock(1, nil), func() { before = slices.Clone(s.Theta()) }}
		s = New(n, len(p.K), hinge(p), c, gradienttest.NewDense(n, p.K), 1e-5, Tuning{})
		record := func(Progress) error {
			if before == nil {
				return nil
			}
			rungs++
			for m, was := range before {
				if now := s.Theta()[m]; was > 0.1 && !(now > was/2 && now < was*2) && c.Snapshot().Level > 2 {
					t.Errorf("rung %d: the weight of kernel %d went from %.3g to %.3g", c.Snapshot().Level, m, was, now)
				}
			}
			before = nil
			return nil
		}
		if status, err := NewDriver(s, Limits{Record: record}).Run(context.Background()); err != nil || status != Converged {
			t.Fatal(fmt.Sprint(status), err)
		}
		p.Consistent(t, 1, result(s.Solution()))
	}
	if rungs < 20 {
		t.Errorf("only %d rungs", rungs)
	}
}
