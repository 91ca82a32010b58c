package chunking

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/invariant"
)

// panics gives the text of the panic that f ends in.
func panics(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// A state in which one thing is not as it must be is seen by the check that the next certificate, working set, step or change of
// weights makes.
func TestAssertState(t *testing.T) {
	if !invariant.Enabled {
		t.Skip("invariants are checked with -tags invariants")
	}
	ctx := context.Background()
	for _, norm := range norms {
		p := problems(random(t, 3))[0]
		for want, spoil := range map[string]func(s *Solver, n *BlockNorm){
			"outside its box": func(s *Solver, _ *BlockNorm) { s.alpha[0] = -2 * p.y[0] * p.cost[0]; s.certify() },
			"alpha sums to": func(s *Solver, _ *BlockNorm) {
				at := slices.IndexFunc(s.alpha, func(a float64) bool { return a != 0 })
				s.alpha[at] *= 0.99
				s.certify()
			},
			"theta[0] = -1":            func(s *Solver, _ *BlockNorm) { s.theta[0] = -1; s.certify() },
			"do not ascend":            func(s *Solver, _ *BlockNorm) { s.active = []int{1, 0}; s.assertState() },
			"in the working set twice": func(s *Solver, _ *BlockNorm) { s.assertSet([]int{1, 2, 1}) },
			"and asleep":               func(s *Solver, _ *BlockNorm) { s.active = []int{0, 2}; s.assertSet([]int{0, 1}) },
			"at most 2":                func(s *Solver, _ *BlockNorm) { s.tuning.WorkingSet = 2; s.assertSet([]int{0, 1, 2}) },
			"a step lowers the dual":   func(s *Solver, _ *BlockNorm) { s.lower() },
			"theta": func(s *Solver, n *BlockNorm) {
				theta := slices.Clone(s.theta)
				length := n.Weights(theta, s.V)
				for m := range theta {
					theta[m] *= 1.001
				}
				n.assertWeights(theta, s.V, length)
			},
			"sum theta V": func(s *Solver, n *BlockNorm) {
				theta := slices.Clone(s.theta)
				length := n.Weights(theta, s.V)
				n.assertWeights(theta, s.V, length*1.001)
			},
		} {
			s, n, _ := p.solver(norm, 1e-3)
			for range 3 {
				if err := s.Step(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if text := panics(func() { spoil(s, n) }); !strings.Contains(text, "invariant: ") || !strings.Contains(text, want) {
				t.Errorf("p=%.4g: %q is missing in %q", norm, want, text)
			}
		}
	}
}

// lower takes a step to alpha = 0 for one to alpha.
func (s *Solver) lower() {
	var delta []float64
	s.set = nil
	before := slices.Clone(s.V)
	for i, a := range s.alpha {
		if a != 0 {
			s.set, delta = append(s.set, i), append(delta, -a)
			s.alpha[i] = 0
		}
	}
	for m := range s.V {
		s.V[m] = 0
	}
	s.assertAscent(delta, before)
}

// Numbers that overflow are the data's fault, and reported as such.
func TestAssertOverflow(t *testing.T) {
	n := NewBlockNorm(1.5, nil)
	n.assertWeights([]float64{math.NaN(), 1}, []float64{math.Inf(1), 1}, math.NaN())
}
