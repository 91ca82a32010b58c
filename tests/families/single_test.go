package families

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
	"bigmkl/verify"
)

// TestSingleOfTwo: one classifier for two classes has twice the objective of the classifier for
// two, its weights, and half of its function and its opposite for the functions.
func TestSingleOfTwo(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 284020), 240, 5, 2, false)
	for _, p := range []float64{1, 4.0 / 3, 2, 3, math.Inf(1)} {
		t.Run(fmt.Sprintf("p=%.4g", p), func(t *testing.T) {
			o := bigmkl.Options{Kernels: "gauss:auto/4,linear,poly:2", Norm: p, C: 0.3, Gap: 1e-6}
			two, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			o.Multiclass = bigmkl.SingleClassifier
			m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			if c := two.Certificate; math.Abs(m.Certificate.Dual-2*c.Dual) > 2e-6*2*c.Dual {
				t.Errorf("a dual value of %.9g, twice that of two is %.9g", m.Certificate.Dual, 2*c.Dual)
			}
			for k, x := range m.Shared() {
				if math.Abs(x-two.Theta[k]) > 5e-3*max(1, x) && p <= 2 {
					t.Errorf("theta %d is %.4f, of the classifier for two %.4f", k+1, x, two.Theta[k])
				}
			}
			one, all := bigmkltest.Predictions(t, two, rows), bigmkltest.Predictions(t, m, rows)
			for i := range all {
				f := all[i].Decisions
				if k := slices.Index(m.Classes, two.Positive); math.Abs(f[k]-f[1-k]-2*one[i].Decision) > 2e-2 {
					t.Fatalf("row %d: f %v, of the classifier for two %v", i, f, one[i].Decision)
				}
			}
		})
	}
}

// TestSingle: every norm ends in its gap, verifies, and has the same bytes whatever the threads, the
// memory and the cache; the class of a row has the largest f.
func TestSingle(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 284021), 300, 6, 4, false)
	var shares []float64
	for rng := datasettest.Random(t, 284024); len(shares) < 4*len(rows); {
		a, b := rng.Float64(), rng.Float64()
		shares = append(shares, a*b, a*(1-b), (1-a)*b, (1-a)*(1-b))
	}
	weighted := slices.Clone(rows)
	for i := range weighted {
		weighted[i].Weight = 0.5 + float64(i%3)
	}
	table := map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
	}{
		"p=1":         {rows, bigmkl.Options{Norm: 1}},
		"p=1, small":  {rows, bigmkl.Options{Norm: 1, Gap: 1e-5}},
		"p=4/3":       {rows, bigmkl.Options{Norm: 4.0 / 3, ClassWeight: map[string]float64{"2": 3}}},
		"p=2, single": {rows, bigmkl.Options{Norm: 2, Precision: "32"}},
		"p=inf":       {rows, bigmkl.Options{Norm: math.Inf(1)}},
		"posteriors":  {weighted, bigmkl.Options{Norm: 1.5, Posteriors: bigmkl.Posteriors{Values: shares}}},
		"knn":         {rows, bigmkl.Options{Norm: 1, Posteriors: bigmkl.Posteriors{Neighbours: 9, Features: "1-4"}}},
		"sparse":      {weighted, bigmkl.Options{Store: dataset.LayoutSparse, C: 0.1}},
		"spherical":   {weighted, bigmkl.Options{Norm: 1.1, Normalize: "spherical", C: 10}},
	}
	for name, c := range table {
		t.Run(name, func(t *testing.T) {
			bigmkltest.NameInTurn(t, table, name, 3)
			c.o.Multiclass, c.o.Kernels = bigmkl.SingleClassifier, "gauss:auto/4,poly:2,linear@1-3,linear"
			c.o.Tuning = chunking.Tuning{WorkingSet: 48}
			m, _ := bigmkltest.InRegimes(t, c.rows, c.o, bigmkltest.Tight)
			for i, p := range bigmkltest.Predictions(t, m, c.rows) {
				if p.Label != verifytest.Decided(&m.Model, p.Decisions) {
					t.Fatalf("row %d of the decisions %v is %s", i, p.Decisions, p.Label)
				}
			}
		})
	}
}

// TestSingleOfTwoByPosteriors: of two classes, rows whose posteriors agree with their labels have the
// margins 2 |2 Pr - 1|: twice the margins of the classifier for two, whose cost is the cost of rows of the
// weight |2 Pr - 1|. Posteriors of 0 and 1 that agree with the labels change no byte.
func TestSingleOfTwoByPosteriors(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 284025)
	rows := datasettest.Clusters(rng, 200, 4, 2, false)
	weighted, certain := slices.Clone(rows), []float64(nil)
	var two, both []float64
	names := []string{rows[0].Label, ""}
	for _, r := range rows {
		if r.Label != names[0] {
			names[1] = r.Label
		}
	}
	slices.Sort(names)
	for i, r := range rows {
		p := 0.51 + 0.49*rng.Float64()
		weighted[i].Weight = 2*p - 1
		if r.Label == names[0] {
			two, both, certain = append(two, 1-p), append(both, p, 1-p), append(certain, 1, 0)
		} else {
			two, both, certain = append(two, p), append(both, 1-p, p), append(certain, 0, 1)
		}
	}
	for _, p := range []float64{1, 4.0 / 3, 4} {
		o := bigmkl.Options{Kernels: "gauss:auto/3,linear", Norm: p, C: 0.5, Gap: 1e-6}
		o.Posteriors.Values = two
		one, _ := bigmkltest.Converge(t, datasettest.Stream(weighted), o)
		o.Multiclass, o.Posteriors.Values = bigmkl.SingleClassifier, both
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		if want := 2 * one.Certificate.Dual; math.Abs(m.Certificate.Dual-want) > 2e-6*want {
			t.Errorf("p = %.3g: a dual value of %.9g, twice that of two is %.9g", p, m.Certificate.Dual, want)
		}
		o.Posteriors.Values = certain
		sure, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		o.Posteriors.Values = nil
		plain, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		if !bytes.Equal(bigmkltest.Encoded(t, sure), bigmkltest.Encoded(t, plain)) {
			t.Errorf("p = %.3g: posteriors of 0 and 1 make another model", p)
		}
	}
}

// TestSingleResumes: a run that was interrupted anywhere and resumed has the bytes of the one that was
// not.
func TestSingleResumes(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes) // The table of tests/bits has its kind.
	rng := datasettest.Random(t, 284022)
	rows := datasettest.Clusters(rng, 1200, 6, 3, false)
	o := bigmkl.Options{
		Multiclass: bigmkl.SingleClassifier, Kernels: "gauss:auto/4,linear", Tuning: chunking.Tuning{WorkingSet: 96},
		Gap: 5e-5, Norm: 1, Cache: cache.Never,
	}
	t.Run("certain", func(t *testing.T) { resumesSingle(t, rng, rows, o) })
	o.Posteriors.Neighbours = 20
	t.Run("posteriors", func(t *testing.T) { resumesSingle(t, rng, rows, o) })
}

func resumesSingle(t *testing.T, rng *rand.Rand, rows []dataset.Row, o bigmkl.Options) {
	t.Helper()
	m, whole := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	want, total := bigmkltest.Encoded(t, m), whole.Iterations
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	for at := 1; at < total; at += max(1, total/max(3, testlevel.Repeats(3, 25))) {
		r := bigmkltest.Resumable(t, o)
		if first := bigmkltest.InterruptedAfter(t, rows, r, at); first.Status != chunking.Interrupted {
			t.Fatalf("%s after %d of %d iterations", first.Status, at, total)
		}
		r.Resume = true
		other := r
		other.Multiclass, other.Posteriors = bigmkl.OneVsRest, bigmkl.Posteriors{}
		if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), other); !errors.Is(err, fail.Version) {
			t.Errorf("a run of one against the rest: %v", err)
		}
		r.Threads, r.Cache = 1+rng.IntN(3), bigmkltest.Pick(rng, cache.Auto, cache.Always, cache.Never)
		m, result := bigmkltest.TrainModel(t, datasettest.Stream(rows), r)
		if !bytes.Equal(bigmkltest.Encoded(t, m), want) || result.Iterations != total {
			t.Errorf("another model after an interrupt at iteration %d of %d: %s, %d iterations", at, total,
				result.Status, result.Iterations)
		}
	}
}

// TestSingleRefuses: what does not go with one classifier for all classes is one error.
func TestSingleRefuses(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 284023), 60, 3, 3, false)
	one := slices.DeleteFunc(slices.Clone(rows), func(r dataset.Row) bool { return r.Label != rows[0].Label })
	for name, c := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
		want error
	}{
		"one class":            {one, bigmkl.Options{}, fail.Input},
		"squared hinge":        {rows, bigmkl.Options{Loss: bigmkl.LossSquaredHinge}, fail.Usage},
		"another solver":       {rows, bigmkl.Options{Solver: bigmkl.SolverWrapper}, fail.Usage},
		"another norm":         {rows, bigmkl.Options{Regularizer: bigmkl.Regularizer{ElasticNet: 0.5}}, fail.Usage},
		"probabilities":        {rows, bigmkl.Options{Folds: 3}, fail.Usage},
		"positive":             {rows, bigmkl.Options{Positive: []string{"1"}}, fail.Usage},
		"one theta":            {rows, bigmkl.Options{OneTheta: true}, fail.Usage},
		"one posterior":        {rows, bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: make([]float64, 60)}}, fail.Input},
		"posteriors of no sum": {rows, bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: slices.Repeat([]float64{0.3}, 180)}}, fail.Input},
		"regression":           {rows, bigmkl.Options{Task: bigmkl.TaskSVR}, fail.Usage},
		"discriminants":        {rows, bigmkl.Options{Task: bigmkl.TaskRKDA}, fail.Usage},
	} {
		c.o.Multiclass = bigmkl.SingleClassifier
		if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(c.rows), c.o); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

// TestSingleIndefinite: an indefinite kernel may have V_m < 0 in a column where the sum over the columns is above 0. The columns are
// one problem, of which verify finds the values that the model claims, wherever it was cut.
func TestSingleIndefinite(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 284036)
	for trial := range 6 {
		rows := datasettest.Clusters(rng, 90+10*trial, 6, 3+trial%3, false)
		for k, p := range []float64{1, 4.0 / 3, 2, 3} {
			t.Run(fmt.Sprintf("%d/p=%.4g", trial, p), func(t *testing.T) {
				bigmkltest.InTurn(t, 4*trial+k, 3)
				o := bigmkl.Options{Multiclass: bigmkl.SingleClassifier, Kernels: "gauss:auto,sigmoid:0.646:-1@each-feature", Norm: p, MaxIterations: 1 + trial}
				m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
				r, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{})
				if err != nil || len(r.Faults) > 0 {
					t.Errorf("%v %q", err, r.Faults)
				}
			})
		}
	}
}
