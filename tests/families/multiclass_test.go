package families

import (
	"bytes"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// A classifier of one against the rest is, to the bit, the model that --positive trains.
func TestClassifiersAreTwoClassModels(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 1)
	rows := datasettest.Clusters(rng, 250, 6, 4, false)
	weighted := slices.Clone(rows)
	for i := range weighted {
		weighted[i].Weight = 0.5 + rng.Float64()
	}
	for name, c := range map[string]struct {
		o    bigmkl.Options
		rows []dataset.Row
	}{
		"gaussians":   {bigmkl.Options{Kernels: "gauss:auto/5"}, rows},
		"linear":      {bigmkl.Options{Kernels: "linear@each-feature", Norm: 1, Scale: "standard"}, rows},
		"p = 4":       {bigmkl.Options{Kernels: "gauss:auto/3,linear,poly:2", Norm: 4, Gap: 1e-4}, rows},
		"small gap":   {bigmkl.Options{Kernels: "gauss:auto/5", Norm: 2, Gap: 1e-6}, rows},
		"row weights": {bigmkl.Options{Kernels: "gauss:auto/5", C: 10}, weighted},
		"spherical":   {bigmkl.Options{Kernels: "poly:2,linear", Normalize: "spherical", Precision: "64"}, rows},
		"products":    {bigmkl.Options{Kernels: "prod(gauss:auto@1-3,poly:2@2-6),linear norm=spherical,pow(linear@1-4,2) norm=none", Scale: "standard"}, rows},
		"shrinking":   {bigmkl.Options{Kernels: "gauss:auto/2", C: 0.1, Tuning: chunking.Tuning{WorkingSet: 64, Shrink: 0.8}}, datasettest.Clusters(rng, 800, 6, 4, false)},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.o
			o.Multiclass = bigmkl.OneVsRest
			all, r := bigmkltest.TrainModel(t, datasettest.Stream(c.rows), o)
			if r.Status != "converged" || len(all.Classifiers) != 4 {
				t.Fatalf("%s with %d classifiers", r.Status, len(all.Classifiers))
			}
			for k, class := range all.Classes {
				o = c.o
				o.Positive = []string{class}
				one, _ := bigmkltest.TrainModel(t, datasettest.Stream(c.rows), o)
				m := all.Classifier(k)
				if !slices.Equal(m.Theta, one.Theta) || !slices.Equal(m.Support, one.Support) || !slices.Equal(m.Alpha, one.Alpha) || m.Bias != one.Bias ||
					m.Certificate != one.Certificate || m.Double != one.Double {
					t.Errorf("class %s: %d support vectors, gap %v, bias %v; alone %d, %v, %v", class, len(m.Support), m.Certificate.RelativeGap, m.Bias,
						len(one.Support), one.Certificate.RelativeGap, one.Bias)
				}
			}
		})
	}
}

// A classifier of a pair of classes equals a training on their points alone, with the preparation of all points: kernels
// without normalisation on features as they are depend on nothing else.
func TestPairsAreTrainedAlone(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 2)
	rows := datasettest.Clusters(rng, 300, 5, 3, false)
	for i := range rows {
		rows[i].Weight = 0.5 + rng.Float64()
	}
	for name, o := range map[string]bigmkl.Options{
		"gaussians": {Kernels: "gauss:0.1,gauss:0.02,poly:2:0.1:1", Normalize: "none"},
		"sparse":    {Kernels: "gauss:0.1,gauss:0.02,linear", Normalize: "none", Store: "sparse"},
		"products":  {Kernels: "prod(gauss:0.1,poly:2:0.1:1,linear@1-3),gauss:0.02,poly:2 norm=spherical", Normalize: "none", Store: "sparse"},
		"weights":   {Kernels: "gauss:0.1,linear@1-3", Normalize: "none", ClassWeight: map[string]float64{"1": 2, "2": 0.5}},
	} {
		t.Run(name, func(t *testing.T) {
			o.Gap = 1e-7
			several := o
			several.Multiclass = bigmkl.OneVsOne
			all, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), several)
			if r.Status != "converged" {
				t.Fatal(r.Status)
			}
			for k := range all.Classifiers {
				m := all.Classifier(k)
				var some []dataset.Row
				var index []int32
				for i, row := range rows {
					if row.Label == m.Positive || row.Label == m.Negative {
						some, index = append(some, row), append(index, int32(i))
					}
				}
				alone := o
				alone.Positive = []string{m.Positive}
				if o.ClassWeight != nil { // names are 1 and -1 then
					w := func(class string) float64 { return max(o.ClassWeight[class], 0) }
					if alone.ClassWeight = map[string]float64{}; w(m.Positive) > 0 {
						alone.ClassWeight["1"] = w(m.Positive)
					}
					if w(m.Negative) > 0 {
						alone.ClassWeight["-1"] = w(m.Negative)
					}
				}
				one, _ := bigmkltest.Converge(t, datasettest.Stream(some), alone)
				if d := relativeDifference(m.Certificate.Primal, one.Certificate.Primal); !(d < 3e-7) {
					t.Errorf("%s and %s: primal %v, alone %v", m.Positive, m.Negative, m.Certificate.Primal, one.Certificate.Primal)
				}
				for _, i := range m.Support {
					if !slices.Contains(index, i) {
						t.Fatalf("%s and %s: support vector %d of another class", m.Positive, m.Negative, i)
					}
				}
			}
		})
	}
}

func relativeDifference(a, b float64) float64 { return max(a-b, b-a) / max(a, b) }

// Precomputed matrices replace the kernels of pairs, too, whose points get new numbers.
func TestPairsOfMatrices(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 3), 200, 5, 3, false)
	o := bigmkl.Options{Kernels: "gauss:0.1,poly:2:0.1:1", Normalize: "none", Gap: 1e-5}
	files, specs := bigmkltest.Grams(t, rows, o, true)
	o.Multiclass = bigmkl.OneVsOne
	want, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	o.Kernels = specs
	got, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	for k := range want.Classifiers {
		a, b := want.Classifier(k), got.Classifier(k)
		if d := relativeDifference(a.Certificate.Primal, b.Certificate.Primal); !(d < 2e-5) {
			t.Errorf("classifier %d: primal %v, with matrices %v", k, a.Certificate.Primal, b.Certificate.Primal)
		}
	}
	matrix, err := npy.Load(files[0], len(rows))
	if err != nil {
		t.Fatal(err)
	}
	matrix.Close()
	predicted := outcomes(t, got, rows, bigmkl.PredictOptions{Gram: files})
	for i, p := range outcomes(t, want, rows, bigmkl.PredictOptions{}) {
		if p.Label != predicted[i].Label && p.Decision > 1e-3 {
			t.Errorf("row %d is of class %s, with matrices %s", i, p.Label, predicted[i].Label)
		}
	}
}

// outcomes predicts rows and keeps what is handed out.
func outcomes(t testing.TB, m *bigmkl.Model, rows []dataset.Row, o bigmkl.PredictOptions) []bigmkl.Prediction {
	t.Helper()
	var list []bigmkl.Prediction
	err := m.Predict(t.Context(), datasettest.Stream(rows), o, func(p bigmkl.Prediction) error {
		p.Decisions = slices.Clone(p.Decisions)
		list = append(list, p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Decisions equal the decisions of the classifiers as separate models, and the class follows from them.
func TestCouncil(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 4)
	for _, kind := range []string{bigmkl.OneVsRest, bigmkl.OneVsOne, bigmkl.MultiLabel} {
		rows := datasettest.Clusters(rng, 240, 5, 4, kind == bigmkl.MultiLabel)
		for _, o := range []bigmkl.Options{{Kernels: "gauss:auto/3,linear"}, {Kernels: "linear,poly:3", Normalize: "spherical", Precision: "64"}} {
			o.Multiclass = kind
			m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
			list := outcomes(t, m, rows, bigmkl.PredictOptions{})
			right := 0
			for k := range m.Classifiers {
				one := &bigmkl.Model{Model: *m.Classifier(k)}
				one.Vectors, one.Rows = nil, nil
				for s := range one.Support {
					one.Vectors = append(one.Vectors, m.Classifier(k).Vector(s)...)
				}
				for i, f := range bigmkltest.Decisions(t, one, rows, bigmkl.PredictOptions{}) {
					if d := list[i].Decisions[k] - f; !(d < 1e-4 && d > -1e-4) {
						t.Fatalf("%s, row %d, classifier %d: %v, alone %v", kind, i, k, list[i].Decisions[k], f)
					}
				}
			}
			for i, p := range list {
				if want := verifytest.Decided(&m.Model, p.Decisions); p.Label != want {
					t.Fatalf("%s, row %d: %q of %v, want %q", kind, i, p.Label, p.Decisions, want)
				}
				if p.Label == p.Known {
					right++
				}
			}
			if least := map[string]int{bigmkl.OneVsRest: 180, bigmkl.OneVsOne: 180, bigmkl.MultiLabel: 80}[kind]; right < least {
				t.Errorf("%s: %d of %d rows are right", kind, right, len(rows))
			}
			b := bigmkltest.Encoded(t, m)
			decoded, err := model.Decode(bytes.NewReader(b), int64(len(b)), "")
			if err != nil {
				t.Fatal(err)
			}
			again := &bigmkl.Model{Model: *decoded}
			for i, p := range outcomes(t, again, rows, bigmkl.PredictOptions{Threads: 1}) {
				if p.Label != list[i].Label || !slices.Equal(p.Decisions, list[i].Decisions) {
					t.Fatalf("%s, row %d: %v from the file, %v before", kind, i, p, list[i])
				}
			}
		}
	}
}

// Neither threads nor budgets nor caches change a bit of several classifiers.
func TestSeveralInRegimes(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 5)
	for _, kind := range []string{bigmkl.OneVsRest, bigmkl.OneVsOne, "one theta"} {
		rows := datasettest.Clusters(rng, 600, 8, 3, false)
		o := bigmkl.Options{Kernels: "gauss:auto/4,poly:2", Multiclass: kind, C: 0.3, Memory: 1 << 30}
		if kind == "one theta" {
			o.Multiclass, o.OneTheta = bigmkl.OneVsRest, true
		}
		m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		want := bigmkltest.Encoded(t, m)
		o.Memory = bigmkltest.Least(t, rows, o)
		for _, threads := range []int{1, 3} {
			for _, mode := range []cache.Mode{cache.Never, cache.Always} {
				o.Threads, o.Cache = threads, mode
				m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
				if !slices.Equal(bigmkltest.Encoded(t, m), want) {
					t.Errorf("%s: other bits with %d threads, cache %s, in %d MiB", kind, threads, mode, o.Memory>>20)
				}
			}
		}
	}
}
