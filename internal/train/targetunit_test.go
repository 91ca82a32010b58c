package train

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl/internal/model"
)

// TestTargetUnit: the unit grows with the targets, is their deviation, and does not follow few far ones.
func TestTargetUnit(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	targets := make([]float64, 5000)
	for i := range targets {
		targets[i] = 3 + 2*rng.NormFloat64()
	}
	if u := TargetUnit(targets); math.Abs(u-2) > 0.1 {
		t.Errorf("normal targets of deviation 2: %g", u)
	}
	for _, s := range []float64{1e-6, 0.01, 1e6} {
		scaled := make([]float64, len(targets))
		for i, y := range targets {
			scaled[i] = s * y
		}
		if u := TargetUnit(scaled) / s; math.Abs(u-TargetUnit(targets)) > 0.011 {
			t.Errorf("times %g: %g", s, u)
		}
	}
	for i := range 50 {
		targets[i] = 1e5
	}
	if u := TargetUnit(targets); math.Abs(u-2) > 0.1 {
		t.Errorf("with far targets: %g", u)
	}
	x := 0.1 // The sum of 0.1 and 0.2 is no 0.3 in float64.
	five, tenth := slices.Repeat([]float64{5}, 133), slices.Repeat([]float64{0.1}, 1000)
	for _, equal := range [][]float64{{4}, {4, 4, 4}, {0, 0}, five, tenth, {0.3, x + 0.2, 0.3}, {-1e300, -1e300}} {
		if u := TargetUnit(equal); u != 1 {
			t.Errorf("%v: %g", equal, u)
		}
	}
	// Most targets are equal: nothing but the deviation is left.
	if u := TargetUnit([]float64{0, 0, 0, 0, 0, 0, 0, 8}); math.Abs(u-2.65) > 0.01 {
		t.Errorf("mostly equal targets: %g", u)
	}
}

// TestTakeUnitOnce: costs and tubes are multiplied once, and those that were given never.
func TestTakeUnitOnce(t *testing.T) {
	tube := model.LossSettings{Epsilon: 0.1}
	p := Problem{C: 1, LossSettings: tube, CostInUnits: true, NumbersInUnits: []string{"epsilon"}}
	p.takeUnit(4)
	p.takeUnit(9)
	if p.C != 4 || p.Epsilon != 0.4 || p.Unit != 4 {
		t.Errorf("%+v", p)
	}
	p = Problem{C: 1, LossSettings: tube, NumbersInUnits: []string{"epsilon"}}
	p.takeUnit(4)
	if p.C != 1 || p.Epsilon != 0.4 {
		t.Errorf("%+v", p)
	}
	p = Problem{C: 1, LossSettings: tube}
	p.takeUnit(4)
	if p.C != 1 || p.Epsilon != 0.1 || p.Unit != 0 {
		t.Errorf("%+v", p)
	}
}

// TestTauOfEvents: the quantile is the share of the rows with an event, up to the median. It is taken once, and a given one stays.
func TestTauOfEvents(t *testing.T) {
	for _, c := range []struct {
		times, uppers []float64
		want          float64
	}{
		{[]float64{1, 2, 3}, nil, 0.5},
		{[]float64{1, 2, -3}, nil, 0.5},
		{[]float64{1, -2, -3, -4}, nil, 0.25},
		{[]float64{1, -2, -3, -4, -5, -6, -7}, nil, 0.14}, // two digits of 1/7
		{[]float64{1, -2, -3, -4}, []float64{0, 3, 0, 0}, 0.5},
	} {
		if tau := tauOfEvents(c.times, c.uppers); tau != c.want {
			t.Errorf("%v, %v: %g, not %g", c.times, c.uppers, tau, c.want)
		}
	}
	p := Problem{TauOfEvents: true}
	p.takeTau(0.25)
	p.takeTau(0.125)
	given := Problem{LossSettings: model.LossSettings{Tau: 0.75}}
	given.takeTau(0.25)
	if p.Tau != 0.25 || given.Tau != 0.75 {
		t.Errorf("%g, %g", p.Tau, given.Tau)
	}
}
