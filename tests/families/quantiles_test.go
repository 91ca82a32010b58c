package families

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// several is a list of quantiles.
var several = []float64{0.1, 0.5, 0.9}

// trainQuantiles trains several quantiles that verify accepts.
func trainQuantiles(t *testing.T, rows []dataset.Row, o bigmkl.Options) *bigmkl.Model {
	t.Helper()
	o.Task, o.Threads = bigmkl.TaskQuantile, 1
	if o.Taus == nil {
		o.Taus = several
	}
	if o.Kernels == "" {
		o.Kernels = "gauss:auto/3,linear"
	}
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestQuantilesAreModels: each of several quantiles is the model of this quantile alone, to the bit, and predicts what that predicts.
func TestQuantilesAreModels(t *testing.T) {
	t.Parallel()
	rows := lossRows(t, 51, 200)
	for name, o := range map[string]bigmkl.Options{
		"plain": {}, "p=1, a tube": {Norm: 1, Epsilon: 0.1}, "sparse": {Store: dataset.LayoutSparse, C: 3}, "double": {Precision: "64", Gap: 1e-6},
	} {
		t.Run(name, func(t *testing.T) {
			all := trainQuantiles(t, rows, o)
			both := bigmkltest.Predictions(t, all, rows)
			for k, tau := range several {
				one := o
				one.Task, one.Tau, one.Threads, one.Kernels = bigmkl.TaskQuantile, tau, 1, "gauss:auto/3,linear"
				want, _ := bigmkltest.Converge(t, datasettest.Stream(rows), one)
				verifytest.MustVerify(t, &want.Model, datasettest.Stream(rows))
				got := all.Classifier(k)
				if got.Tau != tau || !slices.Equal(got.Alpha, want.Alpha) || !slices.Equal(got.Theta, want.Theta) || !slices.Equal(got.Support, want.Support) ||
					got.Certificate != want.Certificate {
					t.Errorf("the quantile %g differs from its own model", tau)
				}
				for i, p := range bigmkltest.Predictions(t, want, rows) {
					// The centre of linear kernels is the mean of the support vectors of all, so roundings differ.
					if f := both[i].Decisions[k]; math.Abs(f-p.Decision) > 1e-4*(1+math.Abs(f)) {
						t.Fatalf("tau = %g, row %d: %g, and %g of its own model", tau, i, f, p.Decision)
					}
				}
			}
		})
	}
}

// TestOneThetaOfQuantiles: with one set of weights all quantiles have these, and the sum of their objectives has the certificate. It is no less than the
// sum of the objectives with weights of their own.
func TestOneThetaOfQuantiles(t *testing.T) {
	t.Parallel()
	rows := lossRows(t, 52, 160)
	one, own := trainQuantiles(t, rows, bigmkl.Options{OneTheta: true, Gap: 1e-4}), trainQuantiles(t, rows, bigmkl.Options{Gap: 1e-4})
	sum := 0.0
	for k := range own.Classifiers {
		sum += own.Classifiers[k].Certificate.Dual
	}
	if one.Certificate.Primal < sum {
		t.Errorf("one set of weights has the objective %g, weights of their own at least %g", one.Certificate.Primal, sum)
	}
	for k := 1; k < len(one.Classifiers); k++ {
		if !slices.Equal(one.Classifiers[k].Theta, one.Classifiers[0].Theta) {
			t.Errorf("weights %v and %v", one.Classifiers[k].Theta, one.Classifiers[0].Theta)
		}
	}
}

// TestQuantilesOfGates: gates of each kind go with several quantiles.
func TestQuantilesOfGates(t *testing.T) {
	t.Parallel()
	rows := lossRows(t, 53, 120)
	for name, o := range map[string]bigmkl.Options{
		"regions": {Gating: "regions:2", Kernels: "gauss:auto,linear"},
		"softmax": {Gating: "softmax", Kernels: "gauss:auto,linear copies=2", GateTol: 5e-2, Norm: 2},
	} {
		t.Run(name, func(t *testing.T) { trainQuantiles(t, rows, o) })
	}
}

// TestQuantilesAreKept: a file holds the quantiles, and gives the same bytes again. The predictions have the figures
// of each quantile alone.
func TestQuantilesAreKept(t *testing.T) {
	t.Parallel()
	rows, fresh := lossRows(t, 54, 150), lossRows(t, 55, 200)
	m := trainQuantiles(t, rows, bigmkl.Options{})
	text := bigmkltest.Encoded(t, m)
	path := t.TempDir() + "/m"
	if err := m.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	read, err := bigmkl.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bigmkltest.Encoded(t, read), text) || !slices.Equal(read.Taus, several) || read.Multiclass != model.Quantiles {
		t.Error("a file changes several quantiles")
	}
	s, alone := score.New(&m.Model), make([]evaluate.Pinball, len(several))
	crossed := 0
	for _, p := range bigmkltest.Predictions(t, read, fresh) {
		s.Add(p)
		for k := range alone {
			alone[k].Tau = several[k]
			alone[k].Add(p.Decisions[k], p.Target)
		}
		if p.Decisions[0] > p.Decisions[1] || p.Decisions[1] > p.Decisions[2] {
			crossed++
		}
		if p.Decision != p.Decisions[1] {
			t.Fatal("the prediction of a row is not its median")
		}
	}
	e := s.Evaluation()
	mean := 0.0
	for k, q := range e.Quantiles {
		if q.Tau != several[k] || q.Loss != alone[k].Loss() || q.Below != alone[k].Below() {
			t.Errorf("figures %+v of the quantile %g", q, several[k])
		}
		mean += alone[k].Loss() / 3
	}
	if len(e.Quantiles) != 3 || math.Abs(e.Figures[0].Value-mean) > 1e-12 || e.Figures[1].Value != float64(crossed)/200 {
		t.Errorf("%+v", e)
	}
}

// TestNoCrossing: quantiles of a row that cross are sorted, and their mean pinball loss does not rise: the part of it that depends on the
// order is -sum tau_k f_k / K, which sorted numbers make least (rearrangement inequality).
func TestNoCrossing(t *testing.T) {
	t.Parallel()
	rows, fresh := lossRows(t, 56, 60), lossRows(t, 57, 300)
	m := trainQuantiles(t, rows, bigmkl.Options{Taus: []float64{0.45, 0.5, 0.55}, C: 1, Gap: 1e-3})
	m.Keep() // as a worker does: what is kept is not of the other order
	figures := func(o bigmkl.PredictOptions) []score.Figure {
		s := score.New(&m.Model)
		if err := m.Predict(t.Context(), datasettest.Stream(fresh), o, func(p bigmkl.Prediction) error { s.Add(p); return nil }); err != nil {
			t.Fatal(err)
		}
		return s.Evaluation().Figures
	}
	as, sorted := figures(bigmkl.PredictOptions{}), figures(bigmkl.PredictOptions{NoCrossing: true})
	if as[1].Value == 0 || sorted[1].Value != 0 || sorted[0].Value > as[0].Value {
		t.Errorf("%v, sorted %v", as, sorted)
	}
	one, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Task: bigmkl.TaskQuantile, Kernels: "linear"})
	verifytest.MustVerify(t, &one.Model, datasettest.Stream(rows))
	err := one.Predict(t.Context(), datasettest.Stream(fresh), bigmkl.PredictOptions{NoCrossing: true}, nil)
	if !errors.Is(err, fail.Usage) {
		t.Error(err)
	}
}

// TestFaultsOfQuantiles: lists that are none, and what does not go with several quantiles, are rejected.
func TestFaultsOfQuantiles(t *testing.T) {
	t.Parallel()
	rows := lossRows(t, 58, 30)
	for want, o := range map[string]bigmkl.Options{
		"several quantiles in task svr": {Task: bigmkl.TaskSVR, Taus: several}, "a single quantile and a list": {Tau: 0.5, Taus: several}, "a list of 1": {Taus: several[:1]}, "a list of 0": {Taus: []float64{}},
		"tau = 0.1 in a list": {Taus: []float64{0.5, 0.1}}, "tau = 0.5 in a list": {Taus: []float64{0.5, 0.5}}, "tau = 1 in a list": {Taus: []float64{0.5, 1}}, "tau = NaN": {Taus: []float64{math.NaN(), 0.5}},
		"and task quantile has no classes": {Taus: several, Multiclass: "ovr"}, "one set of gates": {Taus: several, Gating: "softmax", OneGate: true}, "proj": {Taus: several, Kernels: "proj(gauss:1,1)", OneGate: true},
		"the rule correlation": {Taus: several, Regularizer: bigmkl.Regularizer{Rule: "correlation"}}, "another model": {Taus: several, Init: &bigmkl.Model{}},
		"at most 1000": {Taus: make([]float64, 1001)},
	} {
		if o.Task == "" {
			o.Task = bigmkl.TaskQuantile
		}
		if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o); !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestWrongQuantiles: verify finds what is wrong with several quantiles.
func TestWrongQuantiles(t *testing.T) {
	t.Parallel()
	rows := lossRows(t, 59, 120)
	m := trainQuantiles(t, rows, bigmkl.Options{})
	for want, alter := range map[string]func(m *bigmkl.Model){
		"regressor \"0.55\": ":  func(m *bigmkl.Model) { m.Taus = []float64{0.1, 0.55, 0.9} },
		"claims a primal value": func(m *bigmkl.Model) { m.Classifiers[0].Bias++ },
		"above its bound": func(m *bigmkl.Model) {
			a, b := &m.Classifiers[0], &m.Classifiers[2]
			a.Alpha, a.Support, b.Alpha, b.Support = b.Alpha, b.Support, a.Alpha, a.Support
		},
	} {
		bigmkltest.MustComplain(t, m, rows, want, alter)
	}
}
