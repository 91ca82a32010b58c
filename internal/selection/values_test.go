package selection

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/fail"
)

// TestHeldOutValues: the decision values that a selection keeps give the figures of its chosen cell, fold by fold, for each
// preparation and kind of model.
func TestHeldOutValues(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 71)
	two := datasettest.Clouds(rng, 90, 4)
	targets := slices.Clone(two)
	for i := range targets {
		targets[i].Label, targets[i].Target = "", float64(i%7)+two[i].Value[0]
	}
	three := slices.Clone(two)
	for i := range three {
		three[i].Label = []string{"a", "b", "c"}[i%3]
	}
	for _, c := range []struct {
		name   string
		rows   []dataset.Row
		o      bigmkl.Options
		shared bool
	}{
		{"two classes", two, bigmkl.Options{}, false},
		{"two classes, shared", two, bigmkl.Options{}, true},
		{"two classes, the other positive", two, bigmkl.Options{Positive: []string{two[0].Label}}, false},
		{"regression", targets, bigmkl.Options{Task: bigmkl.TaskSVR}, false},
		{"ovr", three, bigmkl.Options{Multiclass: bigmkl.OneVsRest}, false},
		{"ovo, shared", three, bigmkl.Options{Multiclass: bigmkl.OneVsOne}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := small()
			o.SharedPreparation = c.shared
			c.o.Kernels, c.o.Threads, c.o.Gap = o.Training.Kernels, 1, 1e-3
			o.Training = c.o
			s, _, err := selectRows(t, t.Context(), c.rows, o)
			if err != nil {
				t.Fatal(err)
			}
			h := s.HeldOut
			if h == nil || h.Rows != len(c.rows) || len(h.Values) != h.Rows || !h.sound() {
				t.Fatalf("held-out values %+v", h)
			}
			cell, at := s.Cells[s.Chosen], 0
			for k, want := range cell.Values { // of each fold, which are of 30 rows each
				n := len(c.rows) / len(s.Folds)
				part := HeldOutRows{Classes: h.Classes, Values: h.Values[at : at+n]}
				if h.Known != nil {
					part.Known = h.Known[at : at+n]
				} else {
					part.Targets = h.Targets[at : at+n]
				}
				at += n
				if got, defined := part.measure(s.Measure, c.o.Positive, c.o.Multiclass); defined && !(math.Abs(got-want) <= 1e-5) {
					t.Errorf("fold %d: %s is %.9g, by its values %.9g", k+1, s.Measure, want, got)
				}
			}
		})
	}
}

// measure computes a figure from values; defined is false where the values do not determine it.
func (h *HeldOutRows) measure(name string, positive []string, multiclass string) (value float64, defined bool) {
	switch {
	case name == "r2":
		mean, rest, all := 0.0, 0.0, 0.0
		for i, y := range h.Targets {
			mean += y / float64(len(h.Targets))
			rest += (y - float64(h.Values[i][0])) * (y - float64(h.Values[i][0]))
		}
		for _, y := range h.Targets {
			all += (y - mean) * (y - mean)
		}
		return 1 - rest/all, true
	case len(h.Classes) == 2 && name == "auc":
		var f []float64
		var is []bool
		last := h.Classes[len(h.Classes)-1]
		if positive != nil {
			last = positive[0]
		}
		for i, v := range h.Values {
			f, is = append(f, float64(v[0])), append(is, h.Classes[h.Known[i]] == last)
		}
		return evaluate.AUC(f, is), true
	case name == "accuracy" && multiclass == bigmkl.OneVsRest:
		right := 0
		for i, v := range h.Values {
			if slices.Index(v, slices.Max(v)) == int(h.Known[i]) {
				right++
			}
		}
		return float64(right) / float64(len(h.Values)), true
	}
	return 0, false
}

// TestKeptRows: a fold of many rows keeps every second, fourth, .. of them, a selection of many trainings keeps none, and values
// that are not finite end it.
func TestKeptRows(t *testing.T) {
	t.Parallel()
	shape := &bigmkl.Model{}
	shape.Positive = "b"
	if k := newKeptValues(shape, 5, mostKeptRows); k.stride != 1 {
		t.Errorf("stride %d", k.stride)
	}
	k := newKeptValues(shape, 5, 3*mostKeptRows+1)
	for range 3*mostKeptRows + 1 {
		k.add(shape, &bigmkl.Prediction{Decision: 1})
	}
	if k.stride != 4 || len(k.values) != 4*((3*mostKeptRows+1+3)/4) {
		t.Errorf("stride %d, %d bytes", k.stride, len(k.values))
	}
	k.add(shape, &bigmkl.Prediction{Decision: math.Inf(1)})
	for range 8 {
		k.add(shape, &bigmkl.Prediction{Decision: math.Inf(1)})
	}
	if k.text() != "" {
		t.Error("infinite values are kept")
	}
	trainings := 5 * (mostKept/5/leastKept + 1)
	if k := newKeptValues(shape, trainings, 10); k.stride != 0 {
		t.Errorf("%d trainings keep values", trainings)
	}
}

// TestDamagedHeldOut: files that do not fit each other are rejected.
func TestDamagedHeldOut(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if h, err := LoadHeldOut(folder); h != nil || err != nil {
		t.Errorf("%v, %v without a file", h, err)
	}
	for _, text := range []string{
		`{"values":[[1]],"rows":1}`, `{"classes":["a"],"known":[1],"values":[[1]],"rows":1}`, `{"classes":["a"],"known":[-1],"values":[[1]],"rows":1}`,
		`{"targets":[1,2],"values":[[1],[1,2]],"rows":2}`, `{"targets":[1],"values":[[]],"rows":1}`, `{"targets":[1],"values":[[1]],"rows":0}`,
		`{"classes":["a"],"known":[0],"targets":[1],"values":[[1],[1]],"rows":2}`, `{"values":[[1e99]],"targets":[1],"rows":1}`, `{`,
	} {
		if err := os.WriteFile(filepath.Join(folder, heldOutFile), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadHeldOut(folder); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
