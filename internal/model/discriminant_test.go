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

// discriminant makes a model of three classes one of task rkda.
func discriminant() *Model {
	m := trio(OneVsRest)
	m.Task, m.Norm, m.OneTheta, m.ClassWeights, m.RowWeights = TaskRKDA, 1, true, nil, false
	m.Certificate = Certificate{Kind: "gap", Primal: 2, Dual: 1, RelativeGap: 0.5}
	for k := range m.Classifiers {
		m.Classifiers[k].Theta = []float64{0.25, 0.75, 0}
	}
	m.Discriminant = &Discriminant{Lambda: 0.01, Criterion: 0.01, Rule: RuleIndicator, Rows: []int{1, 1, m.Points - 2},
		Means: []float64{1, -1, 0, 0.5, 2, -0.25, 0, 0, 1}}
	return m
}

// TestDiscriminant: a model keeps what task rkda adds, in a version of its own.
func TestDiscriminant(t *testing.T) {
	m := discriminant()
	b := encoded(t, m)
	got, err := decoded(b)
	if err != nil || !reflect.DeepEqual(got, m) || !bytes.Equal(encoded(t, got), b) || !bytes.Contains(b, []byte(`"version":"5"`)) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, m)
	}
	found(m, 0.25)
	m.Discriminant.Lambda = 0.25
	b = encoded(t, m)
	got, err = decoded(b)
	if err != nil || !reflect.DeepEqual(got, m) || !bytes.Contains(b, []byte(`"version":"6"`)) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, m)
	}
	if b := encoded(t, trio(OneVsRest)); bytes.Contains(b, []byte("discriminant")) || bytes.Contains(b, []byte("class_means")) {
		t.Error("a model of another task names a discriminant")
	}
}

// found gives a model a weight of lambda that was found.
func found(m *Model, weight float64) { m.C, m.CostWeight = 1, &weight }

// TestBrokenDiscriminant has what no training leaves.
func TestBrokenDiscriminant(t *testing.T) {
	for want, change := range map[string]func(m *Model){
		"without what it takes":              func(m *Model) { m.Discriminant = nil },
		"a discriminant in task":             func(m *Model) { m.Task = TaskClass },
		"lambda is 0":                        func(m *Model) { m.Discriminant.Lambda = 0 },
		"lambda is 0.01, its weight 0.25":    func(m *Model) { found(m, 0.25) },
		"the weight of the cost is -1":       func(m *Model) { found(m, -1) },
		"the weight of the cost is 1.5":      func(m *Model) { found(m, 1.5) },
		"found at p = 2 and C = 1":           func(m *Model) { found(m, 0.01); m.Norm = 2 },
		"found at p = 1 and C = 3":           func(m *Model) { found(m, 0.01); m.C = 3 },
		"the criterion is NaN":               func(m *Model) { m.Discriminant.Criterion = math.NaN() },
		"unknown rule":                       func(m *Model) { m.Discriminant.Rule = "votes" },
		"8 means of 3 classes":               func(m *Model) { m.Discriminant.Means = m.Discriminant.Means[1:] },
		"class_means[1] is +Inf":             func(m *Model) { m.Discriminant.Means[1] = math.Inf(1) },
		"2 counts of rows":                   func(m *Model) { m.Discriminant.Rows = m.Discriminant.Rows[1:] },
		"a class of 0 rows":                  func(m *Model) { m.Discriminant.Rows[1] = 0 },
		"classes of":                         func(m *Model) { m.Discriminant.Rows[1] = 2 },
		"with the same weights":              func(m *Model) { m.OneTheta = false },
		"a discriminant of classifiers":      func(m *Model) { m.ClassWeights = []float64{1, 2, 3} },
		"a discriminant of classifiers that": func(m *Model) { m.RowWeights = true },
	} {
		m := discriminant()
		change(m)
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %s", err, want)
		}
	}
}

// TestChoose: a rule chooses by its definition, and the first of equal classes.
func TestChoose(t *testing.T) {
	means := &Discriminant{Rule: RuleMeans, Rows: []int{2, 1, 1}, Means: []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}}
	indicator := &Discriminant{Rule: RuleIndicator, Rows: []int{2, 1, 1}}
	for _, c := range []struct {
		d      *Discriminant
		scores []float64
		want   int
	}{
		{means, []float64{0.2, 0.3, 0.1}, 1}, {means, []float64{0, 0, 0}, 0}, {means, []float64{-1, -1, 5}, 2},
		{indicator, []float64{0, 0.4, 0}, 0}, {indicator, []float64{0, 0.6, 0}, 1}, {indicator, []float64{-1, 0.1, 0.1}, 1},
	} {
		if got := c.d.Choose(c.scores); got != c.want {
			t.Errorf("%s of %v: class %d, want %d", c.d.Rule, c.scores, got, c.want)
		}
	}
}
