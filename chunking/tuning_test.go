package chunking_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"bigmkl/chunking/norm"
	"bigmkl/internal/fail"
	"bigmkl/internal/gradienttest"
	"bigmkl/internal/toy"

	. "bigmkl/chunking"
)

// TestTuning: every choice leads to the optimum and is followed on the way there.
func TestTuning(t *testing.T) {
	rng := toy.Random(t, 1)
	p, x := toy.Cloud("tuned", rng, 300, 2)
	for i := range x {
		x[i][0] += p.Y[i]
	}
	p.K = [][]float64{toy.Gauss(x, 0.5), toy.Linear(x, 0, 2)}
	want, _, _ := solverOf(p, 4.0/3, 1e-6)
	if status, err := NewDriver(want, Limits{}).Run(t.Context()); err != nil || status != Converged {
		t.Fatal(status, err)
	}
	for _, tuning := range []Tuning{
		{WorkingSet: 2}, {WorkingSet: 16}, {WorkingSet: 16, NoShrink: true}, {WorkingSet: 16, Shrink: 1}, {WorkingSet: 64, Fresh: 0.1},
		{WorkingSet: 64, Fresh: 1}, {WorkingSet: 64, Inner: 0.5},
		{WorkingSet: 64, Coarse: 0.01}, {WorkingSet: 64, Coarse: 0.99}, {WorkingSet: 1000, Inner: 1e-4},
		{WorkingSet: 100}, {WorkingSet: 100, Floor: 1},
	} {
		if err := tuning.Validate(); err != nil {
			t.Fatal(err)
		}
		g := &sleepy{Dense: gradienttest.NewDense(len(p.Y), p.K), least: len(p.Y)}
		s := New(len(p.Y), len(p.K), hinge(p), norm.NewBlock(4.0/3, nil), g, 1e-4, tuning)
		status, err := NewDriver(s, Limits{Iterations: 5000}).Run(t.Context())
		if err != nil || status != Converged {
			t.Errorf("%+v: %v, %v", tuning, status, err)
		}
		for _, set := range g.Sets {
			if set > tuning.Size(len(p.Y)) {
				t.Fatalf("%+v: %d points in a working set", tuning, set)
			}
		}
		leaves := tuning.Shrink == 1 || tuning.Floor == 1
		if !tuning.Shrinks(len(p.Y)) && g.shrunk > 0 || leaves && g.shrunk == 0 {
			t.Errorf("%+v: shrunk %d times", tuning, g.shrunk)
		}
		if got, want := s.Solution().Certificate.Dual, want.Solution().Certificate.Dual; !toy.Near(got, want, 1.1e-4) {
			t.Errorf("%+v: dual %v, want %v", tuning, got, want)
		}
	}
}

// TestSize: sets are whole for few points, an eighth of more, and (8 n)^(1/2) of very many.
func TestSize(t *testing.T) {
	for n, want := range map[int]int{
		1: 1, 300: 300, 512: 512, 513: 256, 2048: 256, 4096: 512, 13000: 512, 33000: 512, 36992: 544, 400000: 1760,
		1000000: 2816, 10000000: 4096,
	} {
		if got := (Tuning{}).Size(n); got != want {
			t.Errorf("%d points: a set of %d, want %d", n, got, want)
		}
		if got := (Tuning{WorkingSet: 100}).Size(n); got != min(100, n) {
			t.Errorf("%d points: a set of %d, asked for 100", n, got)
		}
	}
}

func TestTuningValidate(t *testing.T) {
	if err := (Tuning{}).Validate(); err != nil {
		t.Error(err)
	}
	bad := Tuning{WorkingSet: 1, Fresh: 1.5, Inner: math.NaN(), Coarse: 1, Shrink: -1, Floor: -1}
	err := bad.Validate()
	if !errors.Is(err, fail.Usage) || strings.Count(err.Error(), "\n") != 5 {
		t.Errorf("%+v: %v", bad, err)
	}
}
