package model

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

// timed makes m a model of times.
func timed(m *Model) *Model {
	m.Task, m.Epsilon, m.Tau = TaskSurvival, 0.1, 0.25
	m.Positive, m.Negative, m.PositiveLabels, m.NegativeWeight = "", "", nil, 1
	m.Censoring = Censoring{Times: []float64{0.5, 2, 7}, Shares: []float64{0.9, 0.4, 0}}
	return m
}

// TestCensoring: a model keeps the distribution of the times of censoring, and breaks with one that no rows have.
func TestCensoring(t *testing.T) {
	m := timed(small())
	b := encoded(t, m)
	if got, err := decoded(b); err != nil || !reflect.DeepEqual(got, m) || !bytes.Contains(b, []byte(`"version":"9"`)) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, m)
	}
	if Predicted(m.Task, 2) != math.Exp(2) || Predicted(TaskSVR, 2) != 2 {
		t.Error("a time is not the exponential of f, or a decision value is")
	}
	if Predicted(m.Task, 1.5e6) != math.MaxFloat64 || Predicted(m.Task, -1.5e6) != math.SmallestNonzeroFloat64 || Predicted(TaskSVR, -1.5e6) != -1.5e6 {
		t.Error("a time is not a number above 0, or a decision value has bounds")
	}
	for name, c := range map[string]struct {
		change func(m *Model)
		want   string
	}{
		"another task":   {func(m *Model) { m.Task, m.Tau = TaskSVR, 0 }, "3 times of censoring with 3 shares in task \"svr\""},
		"a time less":    {func(m *Model) { m.Censoring.Times = m.Censoring.Times[1:] }, "2 times of censoring with 3 shares"},
		"no times":       {func(m *Model) { m.Censoring.Times = nil }, "0 times of censoring with 3 shares"},
		"empty":          {func(m *Model) { m.Censoring = Censoring{Times: []float64{}, Shares: []float64{}} }, "0 times of censoring with 0 shares"},
		"a time of 0":    {func(m *Model) { m.Censoring.Times[0] = 0 }, "not above 0"},
		"an infinite":    {func(m *Model) { m.Censoring.Times[2] = math.Inf(1) }, "not above 0"},
		"no order":       {func(m *Model) { m.Censoring.Times[1] = 0.5 }, "do not ascend"},
		"a share of 1":   {func(m *Model) { m.Censoring.Shares[0] = 1 }, "outside of [0, 1)"},
		"a share NaN":    {func(m *Model) { m.Censoring.Shares[1] = math.NaN() }, "outside of [0, 1)"},
		"rising shares":  {func(m *Model) { m.Censoring.Shares[1] = 0.95 }, "do not descend"},
		"a negative one": {func(m *Model) { m.Censoring.Shares[2] = -0.1 }, "outside of [0, 1)"},
	} {
		m := timed(small())
		c.change(m)
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, and not %s", name, err, c.want)
		}
	}
}
