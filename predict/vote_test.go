package predict

import (
	"slices"
	"testing"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/model"
	"bigmkl/internal/verifytest"
)

// voices is a model of several classifiers, of which some were never trained.
func voices(kind string, classes []string, untrained ...int) *Model {
	m := &Model{Model: model.Model{Decomposition: model.Decomposition{Multiclass: kind, Classes: classes}, Gap: 1e-3, SupportVectors: model.SupportVectors{Support: []int32{0}}}}
	for k, p := range model.Pairs(kind, len(classes)) {
		a := model.Classifier{Positive: p[0], Negative: p[1], Support: []int32{0}, Alpha: []float64{1}, Certificate: model.Certificate{RelativeGap: 0.5}}
		if slices.Contains(untrained, k) {
			a.Support, a.Alpha, a.Certificate.RelativeGap = nil, nil, 1
		}
		m.Classifiers = append(m.Classifiers, a)
	}
	return m
}

// TestUntrainedClassifiersHaveNoPart: a constant without a training neither wins nor votes nor gives a label; classifiers
// that are merely not converged have their part, and so have constants that are the optimum.
func TestUntrainedClassifiersHaveNoPart(t *testing.T) {
	classes := []string{"a", "b", "c"}
	for _, c := range []struct {
		kind      string
		untrained []int
		decisions []float64
		label     string
		decision  float64
	}{
		{model.OneVsRest, nil, []float64{-2, -1, -3}, "b", -1},
		{model.OneVsRest, []int{1}, []float64{-2, -1, -3}, "a", -2},
		{model.OneVsRest, []int{0}, []float64{5, -1, -3}, "b", -1},
		{model.OneVsRest, []int{0, 1}, []float64{5, -1, -3}, "c", -3},
		{model.OneVsRest, []int{0, 1, 2}, []float64{-1, -1, 1}, "a", -1},
		{model.OneVsOne, nil, []float64{1, -1, -1}, "c", 2}, // pairs ab, ac, bc
		{model.OneVsOne, []int{1}, []float64{1, -1, -1}, "a", 1},
		{model.OneVsOne, []int{1, 2}, []float64{-1, -1, -1}, "b", 1},
		{model.OneVsOne, []int{0}, []float64{9, -1, -1}, "c", 2},
		{model.OneVsOne, []int{0, 1, 2}, []float64{-1, -1, -1}, "a", 0},
		{model.MultiLabel, nil, []float64{1, -1, 2}, "a,c", 2},
		{model.MultiLabel, []int{2}, []float64{1, -1, 2}, "a", 1},
		{model.MultiLabel, []int{0, 2}, []float64{1, -1, 2}, labeltext.EmptySet, -1},
		{model.MultiLabel, []int{0, 1, 2}, []float64{1, 1, 1}, labeltext.EmptySet, 1},
	} {
		m := voices(c.kind, classes, c.untrained...)
		if m.Convergence().Untrained() != len(c.untrained) || m.Convergence().Reached() || m.Convergence().Doubt() == "" {
			t.Errorf("%s: %d classifiers are untrained, converged: %v", c.kind, m.Convergence().Untrained(), m.Convergence().Reached())
		}
		if label, f := newVote(m).decideRow(c.decisions); label != c.label || f != c.decision {
			t.Errorf("%s without %v: %s by %g of %v, want %s by %g", c.kind, c.untrained, label, f, c.decisions, c.label, c.decision)
		}
		for k := range m.Classifiers { // of a gap of 0, what is constant is so by right
			m.Classifiers[k].Certificate.RelativeGap = 0
		}
		if m.Convergence().Untrained() != 0 || m.Convergence().Doubt() != "" {
			t.Errorf("%s: constants that are optimal count as untrained", c.kind)
		}
		if label, _ := newVote(m).decideRow(c.decisions); label != verifytest.Decided(&m.Model, c.decisions) {
			t.Errorf("%s: optimal constants have no part: %s", c.kind, label)
		}
	}
	// One set of weights is certified for all classifiers together.
	m := voices(model.OneVsRest, classes, 1)
	m.OneTheta, m.Certificate.RelativeGap = true, 1e-4
	if label, _ := newVote(m).decideRow([]float64{-2, -1, -3}); label != "b" || m.Convergence().Untrained() != 0 {
		t.Errorf("one set of weights, converged: %s", label)
	}
	m.Certificate.RelativeGap = 0.1
	if label, _ := newVote(m).decideRow([]float64{-2, -1, -3}); label != "a" || m.Convergence().Untrained() != 1 {
		t.Errorf("one set of weights, not converged: %s", label)
	}
}
