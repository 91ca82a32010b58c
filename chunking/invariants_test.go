package chunking_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/invariant"
	"bigmkl/internal/toy"

	. "bigmkl/chunking"
)

// panics gives the text of the panic that f ends in.
func panics(f func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	f()
	return ""
}

// A state in which one thing is not as it must be is seen by the check that the next certificate,
// working set, step or change of weights makes.
func TestAssertState(t *testing.T) {
	if !invariant.Enabled {
		t.Skip("invariants are checked with -tags invariants")
	}
	ctx := context.Background()
	for _, exponent := range toy.Norms {
		p := toy.Problems(toy.Random(t, 3))[0]
		for want, spoil := range map[string]func(s *Solver){
			"outside its box": func(s *Solver) { s.Alpha()[0] = -2 * p.Y[0] * p.Cost[0]; s.Certify() },
			"alpha sums to": func(s *Solver) {
				at := slices.IndexFunc(s.Alpha(), func(a float64) bool { return a != 0 })
				s.Alpha()[at] *= 0.99
				s.Certify()
			},
			"theta[0] = -1":            func(s *Solver) { s.Theta()[0] = -1; s.Certify() },
			"do not ascend":            func(s *Solver) { s.SetActive([]int{1, 0}); s.AssertState() },
			"in the working set twice": func(s *Solver) { s.AssertSet([]int{1, 2, 1}, 9) },
			"and asleep":               func(s *Solver) { s.SetActive([]int{0, 2}); s.AssertSet([]int{0, 1}, 9) },
			"at most 2":                func(s *Solver) { s.AssertSet([]int{0, 1, 2}, 2) },
			"a step lowers the dual":   func(s *Solver) { lower(s) },
		} {
			s, _, _ := solverOf(p, exponent, 1e-3)
			for range 3 {
				if err := s.Step(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if text := panics(func() { spoil(s) }); !strings.Contains(text, "invariant: ") || !strings.Contains(text, want) {
				t.Errorf("p=%.4g: %q is missing in %q", exponent, want, text)
			}
		}
	}
}

// lower takes a step to alpha = 0 for one to alpha.
func lower(s *Solver) {
	var set []int
	var delta []float64
	before, v := slices.Clone(s.Energies()), s.Energies()
	for i, a := range s.Alpha() {
		if a != 0 {
			set, delta = append(set, i), append(delta, -a)
			s.Alpha()[i] = 0
		}
	}
	s.SetSet(set)
	clear(v)
	s.AssertAscent(delta, before)
}
