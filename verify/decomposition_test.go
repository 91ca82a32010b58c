package verify

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// TestDecomposition: the roles of rows agree with the pairs of classes.
func TestDecomposition(t *testing.T) {
	t.Parallel()
	for _, kind := range model.Multiclasses {
		m := &model.Model{Task: model.TaskClass, C: 2, Decomposition: model.Decomposition{Multiclass: kind, Classes: []string{"1", "2", "10", "11"}, ClassWeights: []float64{1, 3, 5, 7}}}
		pairs := model.Pairs(kind, len(m.Classes))
		m.Classifiers = make([]model.Classifier, len(pairs))
		c := newDecomposition(m)
		labels := []string{"10", "1", "2", "11"}
		if kind == model.MultiLabel {
			labels = []string{"10,2", "1", "11,1", ","}
		}
		for _, l := range labels {
			class, err := c.numberOf(l, &dataset.Row{})
			if err != nil {
				t.Fatal(err)
			}
			of := strings.Split(l, ",")
			var want []role
			for k, pair := range pairs {
				own := slices.Index(m.Classes, of[0])
				one := role{classifier: int32(k), y: -1, cost: 2}
				switch has := slices.Contains(of, m.Classes[pair[0]]); {
				case has:
					one.y, one.cost = 1, 2*m.ClassWeights[pair[0]]
				case pair[1] != model.Rest && !slices.Contains(of, m.Classes[pair[1]]):
					continue
				case kind != model.MultiLabel:
					one.cost = 2 * m.ClassWeights[own]
				}
				want = append(want, one)
			}
			if got := c.appendRoles(class, nil); !slices.Equal(got, want) || len(got) != classifiersOfRow(m) {
				t.Errorf("%s, label %s: %v, want %v", kind, l, got, want)
			}
		}
		if _, err := c.numberOf("12", &dataset.Row{}); !errors.Is(err, fail.Input) {
			t.Errorf("%s, a label of no class: %v", kind, err)
		}
	}
}

// threePoints is three classifiers of a class each without information: all alpha are 0 except in the
// first.
func threePoints(t *testing.T) (*model.Model, *rows) {
	t.Helper()
	src := source([]string{"1", "2", "3"}, []float64{-1}, []float64{1}, []float64{2})
	m := bare(3, 1)
	m.Positive, m.Negative, m.Multiclass, m.Classes, m.Kernels = "", "", model.OneVsRest, []string{"1", "2", "3"}, []string{"linear"}
	m.Support, m.Vectors = []int32{0, 1}, []float32{-1, 1}
	for k := range int32(3) {
		m.Classifiers = append(m.Classifiers, model.Classifier{Positive: k, Negative: model.Rest, Double: true, Theta: []float64{1}, WNorms: []float64{0}, Bias: -1,
			Certificate: model.Certificate{Kind: "gap", Primal: 2, RelativeGap: 1}})
	}
	a := &m.Classifiers[0] // of w = -1 and b = 0
	a.Support, a.Alpha, a.WNorms, a.Bias = []int32{0, 1}, []float64{0.5, -0.5}, []float64{1}, 0
	a.Certificate = model.Certificate{Kind: "gap", Primal: 0.5, Dual: 0.5}
	m.Gap = 1
	r, err := Run(context.Background(), m, &rows{list: src.list}, Options{})
	if err != nil || len(r.Faults) != 1 {
		t.Fatalf("%+v %v", r, err)
	}
	p, err := newProblem(m, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := p.recompute(context.Background(), &rows{list: src.list}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.Fingerprint = e.fingerprint
	return m, src
}

func TestThreePoints(t *testing.T) {
	t.Parallel()
	m, src := threePoints(t)
	r := run(t, m, &rows{list: src.list}, Options{})
	if len(r.Faults) > 0 || len(r.Classifiers) != 3 || r.Primal != 4.5 || r.Dual != 0.5 || r.RelativeGap != 1 || r.Rows != 3 {
		t.Errorf("%+v", r)
	}
	if one := r.Classifiers[0]; one.Name != "1" || one.Primal != 0.5 || one.Dual != 0.5 || one.Rows != 3 {
		t.Errorf("%+v", one)
	}
	// Faults of one kind are reported once, and faults of each classifier besides.
	for k := range m.Classifiers {
		m.Classifiers[k].Bias = math.NaN()
	}
	r = run(t, m, &rows{list: src.list}, Options{})
	if len(r.Faults) != 1 || !strings.HasPrefix(r.Faults[0], `classifier "1": the certificate is not finite`) || !strings.HasSuffix(r.Faults[0], "(and 2 more like it)") || len(r.Classifiers[2].Faults) != 1 {
		t.Errorf("%+v", r)
	}
}

// A model in memory can have this value, and no file.
func TestLooseParts(t *testing.T) {
	t.Parallel()
	m, src := threePoints(t)
	m.Classifiers[0].Support, m.Classifiers[0].Alpha = nil, nil
	if r := run(t, m, &rows{list: src.list}, Options{}); !strings.Contains(strings.Join(r.Faults, "\n"), "support vector 1 is that of no classifier") {
		t.Errorf("%q", r.Faults)
	}
	for what, spoil := range map[string]func(m *model.Model){
		"kind":        func(m *model.Model) { m.Multiclass = "each" },
		"pairs":       func(m *model.Model) { m.Multiclass = model.OneVsOne },
		"classifiers": func(m *model.Model) { m.Classifiers = m.Classifiers[:2] },
		"class":       func(m *model.Model) { m.Classifiers[1].Positive = 7 },
		"weights":     func(m *model.Model) { m.ClassWeights = []float64{1} },
		"theta":       func(m *model.Model) { m.Classifiers[1].Theta = nil },
		"norms":       func(m *model.Model) { m.Classifiers[2].WNorms = nil },
		"alpha":       func(m *model.Model) { m.Classifiers[0].Alpha = nil },
		"support":     func(m *model.Model) { m.Classifiers[0].Support = []int32{0, 2} },
		"task":        func(m *model.Model) { m.Task = model.TaskSVR },
	} {
		m, src := threePoints(t)
		spoil(m)
		if _, err := Run(context.Background(), m, src, Options{}); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
