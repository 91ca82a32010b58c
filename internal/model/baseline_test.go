package model

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// coxModel is a model of task cox with a baseline hazard.
func coxModel() *Model {
	m := timed(small())
	m.Task, m.Epsilon, m.Tau = TaskCox, 0, 0
	m.Baseline = Baseline{Times: []float64{0.5, 2, 7}, LogHazards: []float64{-2, -1, 0.5}}
	return m
}

// TestBaseline: a model keeps its baseline hazard, and breaks with one that no rows have.
func TestBaseline(t *testing.T) {
	m := coxModel()
	if got, err := decoded(encoded(t, m)); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, m)
	}
	for name, p := range map[string]struct {
		alter func(m *Model)
		want  string
	}{
		"a time less":        {func(m *Model) { m.Baseline.Times = m.Baseline.Times[1:] }, "2 times of a baseline with 3 hazards"},
		"none":               {func(m *Model) { m.Baseline = Baseline{} }, "0 times of a baseline with 0 hazards"},
		"a time of 0":        {func(m *Model) { m.Baseline.Times[0] = 0 }, "not above 0"},
		"an infinite hazard": {func(m *Model) { m.Baseline.LogHazards[2] = math.Inf(1) }, "not finite"},
		"a hazard NaN":       {func(m *Model) { m.Baseline.LogHazards[1] = math.NaN() }, "not finite"},
		"no order":           {func(m *Model) { m.Baseline.Times[1] = 0.5 }, "do not ascend"},
		"falling hazards":    {func(m *Model) { m.Baseline.LogHazards[1] = -3 }, "do not ascend"},
		"another task":       {func(m *Model) { m.Task, m.Tau = TaskSurvival, 0.5 }, "3 times of a baseline with 3 hazards in task"},
	} {
		m := coxModel()
		m.Baseline = Baseline{Times: slices.Clone(m.Baseline.Times), LogHazards: slices.Clone(m.Baseline.LogHazards)}
		p.alter(m)
		if err := m.Validate(); err == nil || !strings.Contains(err.Error(), p.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSurvivalCurve: the hazard is a step function, and the curve falls from 1.
func TestSurvivalCurve(t *testing.T) {
	b := &coxModel().Baseline
	for at, want := range map[float64]float64{0.1: math.Inf(-1), 0.5: -2, 1.9: -2, 2: -1, 100: 0.5} {
		if got := b.LogHazard(at); got != want {
			t.Errorf("logarithm of the hazard up to %g: %g, want %g", at, got, want)
		}
		if got, want := b.Survival(at, math.Log(3)), math.Exp(-3*math.Exp(want)); math.Abs(got-want) > 1e-15 {
			t.Errorf("no event until %g: %g, want %g", at, got, want)
		}
	}
}
