package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"bigmkl/internal/evaluate"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// prediction is the prediction of a row by several classifiers.
func prediction(m *model.Model, decisions []float64, known string) predict.Prediction {
	best := 0
	p := make([]float64, len(decisions))
	for k, f := range decisions {
		if f > decisions[best] {
			best = k
		}
		p[k] = 1 / (1 + math.Exp(-f))
	}
	return predict.Prediction{Label: m.Classes[best], Decision: decisions[best], Decisions: decisions, Probabilities: p, Known: known}
}

// TestCurves: the area under the ROC curve by trapezia is AUC, also among equal decision values, and both curves are short and monotone in x.
func TestCurves(t *testing.T) {
	const seed = 5
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for _, n := range []int{2, 3, 50, 200, 100_000} {
		var decisions []float64
		var positive []bool
		for i := range n {
			positive = append(positive, i%3 == 0)
			d := r.NormFloat64() + float64(1-min(i%3, 1))
			decisions = append(decisions, math.Round(d*8)/8)
		}
		k := newRanking(decisions, positive)
		roc, pr := k.roc(), k.precisionRecall()
		area := 0.0
		for i := 1; i < len(roc.X); i++ {
			area += (roc.X[i] - roc.X[i-1]) * (roc.Y[i] + roc.Y[i-1]) / 2
		}
		if want := evaluate.AUC(decisions, positive); math.Abs(area-want) > 2e-3 {
			t.Errorf("%d rows: area %v, AUC %v", n, area, want)
		}
		for _, l := range []Line{roc, pr} {
			last := len(l.X) - 1
			if len(l.X) > 4*finest || l.X[last] != 1 {
				t.Errorf("%d rows: %d points to %v", n, len(l.X), l.X[last])
			}
			for i := 1; i <= last; i++ {
				if l.X[i] < l.X[i-1] {
					t.Fatalf("%d rows: x falls at %d", n, i)
				}
			}
		}
		if got, want := pr.Y[len(pr.Y)-1], float64((n+2)/3)/float64(n); got != want {
			t.Errorf("%d rows: precision ends at %v, want %v", n, got, want)
		}
	}
	if newRanking([]float64{1, 2}, []bool{true, true}).twoSided() {
		t.Error("rows of one class have a curve")
	}
}

// TestSampleIsBounded: the sample has at most so many rows, at equal distances from the first one, and counts that need no sample are of all rows.
func TestSampleIsBounded(t *testing.T) {
	m := &model.Model{Task: model.TaskClass, Positive: "a", Negative: "b"}
	h := newHeldOut(m)
	h.setMost(100)
	const rows = 1001
	for i := range rows {
		known := "b"
		if i%2 == 1 {
			known = "a"
		}
		h.add(predict.Prediction{Label: "a", Decision: float64(i), Known: known, Probabilities: []float64{.75, .25}})
	}
	if n := len(h.values[0]); n > 100 || n < 50 || len(h.has[0]) != n {
		t.Errorf("%d rows are kept", n)
	}
	for k, d := range h.values[0] {
		if d != float64(k*h.stride) || h.has[0][k] != (k*h.stride%2 == 1) {
			t.Fatalf("row %d of the sample is row %v of all, stride %d", k, d, h.stride)
		}
	}
	if h.confusion != [2][2]int{{0, 501}, {0, 500}} || h.bins[2].count != rows || h.bins[2].hits != 500 {
		t.Errorf("confusion %v, bins %v", h.confusion, h.bins)
	}
	r := newHeldOut(&model.Model{Task: model.TaskSVR})
	r.setMost(64)
	for i := range rows {
		target := float64(i)
		if i == 3 {
			target = math.NaN()
		}
		r.add(predict.Prediction{Decision: float64(i) + 1, Target: target})
	}
	if n := len(r.target); n > 64 || n < 32 || len(r.values[0]) != n {
		t.Errorf("%d targets are kept", n)
	}
	for k := range r.target {
		if r.values[0][k]-r.target[k] != 1 {
			t.Fatalf("row %d: %v and %v", k, r.values[0][k], r.target[k])
		}
	}
}

// TestEveryKindOfModel: rows without labels, of one class alone, of sets of labels, of one-class models and of targets that do not vary make a page.
func TestEveryKindOfModel(t *testing.T) {
	classes := []string{"a", "b", "c"}
	several := func(kind string) *model.Model {
		return &model.Model{Task: model.TaskClass, Decomposition: model.Decomposition{Multiclass: kind, Classes: classes, Classifiers: make([]model.Classifier, 3)}}
	}
	three := func(known string) predict.Prediction {
		return predict.Prediction{Label: "a", Decision: 1, Decisions: []float64{1, -1, 0}, Known: known}
	}
	for i, c := range []struct {
		m    *model.Model
		rows []predict.Prediction
		want int // charts
	}{
		{&model.Model{Task: model.TaskClass, Positive: "a", Negative: "b"}, []predict.Prediction{{Label: "a"}, {Label: "b"}}, 1},
		{&model.Model{Task: model.TaskClass, Positive: "a", Negative: "b"}, []predict.Prediction{{Label: "a", Known: "a"}, {Label: "b", Known: "z"}}, 3},
		{several(model.MultiLabel), []predict.Prediction{three("a,c"), three("b"), three("-")}, 2},
		{several(model.OneVsOne), []predict.Prediction{three("a"), three("b"), three("z")}, 1},
		{several(model.OneVsRest), []predict.Prediction{three("a"), three("z")}, 3},
		{&model.Model{Task: model.TaskOneClass}, []predict.Prediction{{Label: "1", Decision: 1, Target: math.NaN()}}, 0},
		{&model.Model{Task: model.TaskSVR}, []predict.Prediction{{Decision: 1, Target: 1}, {Decision: 1, Target: 1}}, 1},
		{&model.Model{Task: model.TaskSVR}, []predict.Prediction{{Decision: 1, Target: math.NaN()}}, 0},
	} {
		h := newHeldOut(c.m)
		for _, p := range c.rows {
			h.add(p)
		}
		page := New("t", "s")
		page.AddHeldOut(h, "rows")
		charts := 0
		for _, b := range page.sections[0].Blocks {
			charts += len(b.Figures)
			for _, f := range b.Figures {
				wellFormed(t, fmt.Sprint(i), string(f.Drawing()))
			}
		}
		if charts != c.want {
			t.Errorf("case %d: %d charts, want %d", i, charts, c.want)
		}
	}
}

// TestValuesOutOfRange: targets whose differences overflow, and probabilities that are not numbers, are left out of charts.
func TestValuesOutOfRange(t *testing.T) {
	h := newHeldOut(&model.Model{Task: model.TaskSVR})
	for _, target := range []float64{1e308, -1e308, math.MaxFloat64, 1} {
		h.add(predict.Prediction{Decision: -target, Target: target})
	}
	if n := len(h.residualCharts()); n != 1 {
		t.Errorf("%d charts", n)
	}
	h.calibrate(predict.Prediction{Probabilities: []float64{math.NaN(), math.NaN()}})
	if h.calibrationCharts() != nil {
		t.Error("a probability that is no number is drawn")
	}
}
