package families

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/cache"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// unsure are posteriors of rows: near the label for most of them, near 1/2 for some, and against the
// label for others.
func unsure(rng *rand.Rand, rows []dataset.Row) []float64 {
	p := make([]float64, len(rows))
	for i, r := range rows {
		p[i] = rng.Float64() / 2
		if (r.Label == "1") != (rng.IntN(8) == 0) {
			p[i] = 1 - p[i]
		}
		switch rng.IntN(10) {
		case 0:
			p[i] = 0.5
		case 1:
			p[i] = math.Round(p[i])
		}
	}
	return p
}

// certain are the posteriors of labels that are sure.
func certain(rows []dataset.Row) []float64 {
	p := make([]float64, len(rows))
	for i, r := range rows {
		if r.Label == "1" {
			p[i] = 1
		}
	}
	return p
}

// TestCertainPosteriors: posteriors of 0 and 1 that agree with the labels give the bytes of the
// classifier without posteriors.
func TestCertainPosteriors(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 900), 300, 4)
	for _, o := range []bigmkl.Options{
		{Kernels: "gauss:auto/3,linear"}, {Kernels: "gauss:auto/3", Norm: 1, ClassWeight: map[string]float64{"1": 3}},
		{Kernels: "linear@each-feature", Norm: 2, Folds: 3, SharedPreparation: true, Store: dataset.LayoutSparse}, // A file of posteriors is one of all rows.
	} {
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		o.Posteriors.Values = certain(rows)
		if same, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o); !bytes.Equal(bigmkltest.Encoded(t, same), bigmkltest.Encoded(t, m)) {
			t.Errorf("%s: another model", o.Kernels)
		}
	}
}

// TestPosteriors trains with posteriors, weights of rows and classes, norms, solvers and stores. verify confirms
// the certificate, and threads, cache and a way through the model file change no bit.
func TestPosteriors(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 901)
	rows := datasettest.Clouds(rng, 200, 4)
	for i := range rows {
		rows[i].Weight = 0.5 + rng.Float64()
	}
	p := unsure(rng, rows)
	left := model.LeftOut(p)
	if left == 0 {
		t.Fatal("no row is left out")
	}
	for name, o := range map[string]bigmkl.Options{
		"p=1":     {Kernels: "gauss:auto/4,linear", Norm: 1},
		"p=4/3":   {Kernels: "gauss:auto/4,linear", ClassWeight: map[string]float64{"1": 2, "-1": 0.3}},
		"p=2":     {Kernels: "gauss:auto/4,linear", Norm: 2, C: 10, Gap: 1e-6},
		"p=inf":   {Kernels: "gauss:auto/4,linear", Norm: math.Inf(1)},
		"sparse":  {Kernels: "gauss:auto/4,linear", Store: dataset.LayoutSparse},
		"net":     {Kernels: "gauss:auto/4,linear", Norm: 1, Regularizer: bigmkl.Regularizer{ElasticNet: 0.5}},
		"cpm":     {Kernels: "gauss:auto/4,linear", Solver: bigmkl.SolverCPM},
		"shrinks": {Kernels: "gauss:auto/4,linear", Tuning: chunking.Tuning{WorkingSet: 40, Shrink: 0.8}},
		"folds":   {Kernels: "gauss:auto/4,linear", Folds: 3},
		"knn":     {Kernels: "gauss:auto/4,linear", Posteriors: bigmkl.Posteriors{Neighbours: 7}},
		"knn, on": {Kernels: "gauss:auto/4,linear", Folds: 3, Posteriors: bigmkl.Posteriors{Neighbours: 6, Features: "1-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			if o.Posteriors.Neighbours == 0 {
				o.Posteriors.Values = p
			}
			o.Threads = 1
			m, r := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			if o.Posteriors.Values != nil && (model.LeftOut(m.Posteriors) != left || m.PosteriorsOf != model.GivenPosteriors) {
				t.Errorf("%d rows are left out by %s, want %d", model.LeftOut(m.Posteriors), m.PosteriorsOf, left)
			}
			o.Threads, o.Cache = 3, cache.Always
			other, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
			if !bytes.Equal(bigmkltest.Encoded(t, other), bigmkltest.Encoded(t, m)) {
				t.Error("another model with other threads and cache")
			}
			if held := r.Folding.Posteriors; o.Folds > 0 != (len(held) == len(rows)) || slices.ContainsFunc(held, func(x float64) bool { return !(x > 0 && x < 1) }) {
				t.Errorf("%d posteriors of rows that were held out, %d folds", len(held), o.Folds)
			}
		})
	}
}

// TestPosteriorsOfARelabelledClassifier: posteriors of 0 and 1 against the labels are the classifier of the other
// labels, by its values.
func TestPosteriorsOfARelabelledClassifier(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 902)
	rows := datasettest.Clouds(rng, 200, 3)
	p, other := certain(rows), slices.Clone(rows)
	for i := range rows {
		if rng.IntN(6) == 0 {
			p[i] = 1 - p[i]
			other[i].Label = map[float64]string{0: "-1", 1: "1"}[p[i]]
		}
	}
	o := bigmkl.Options{Kernels: "gauss:auto/3", ClassWeight: map[string]float64{"1": 3}}
	want, _ := bigmkltest.Converge(t, datasettest.Stream(other), o)
	o.Posteriors.Values = p
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	if m.Certificate != want.Certificate || !slices.Equal(m.Alpha, want.Alpha) || !slices.Equal(m.Theta, want.Theta) || m.Bias != want.Bias {
		t.Errorf("certificate %+v, of the other labels %+v", m.Certificate, want.Certificate)
	}
}

// TestResumeWithPosteriors: a run that was interrupted ends with the same bytes, and is not resumed with other
// posteriors.
func TestResumeWithPosteriors(t *testing.T) {
	rng := datasettest.Random(t, 903)
	rows := datasettest.Clouds(rng, 500, 4)
	for _, p := range []bigmkl.Posteriors{{Values: unsure(rng, rows)}, {Neighbours: 9}} {
		o := bigmkl.Options{Kernels: "gauss:auto/4,linear", C: 5, Posteriors: p, Tuning: chunking.Tuning{WorkingSet: 30}}
		m, whole := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		r := bigmkltest.Resumable(t, o)
		if first := bigmkltest.Interrupted(t, rows, r, whole.Iterations/2); first.Status != chunking.Interrupted {
			t.Fatal(first.Status)
		}
		r.Resume = true
		for _, other := range []bigmkl.Posteriors{{}, {Values: unsure(rng, rows)}, {Neighbours: 8}, {Neighbours: 9, Features: "1"}} {
			c := r
			c.Scratch, c.Posteriors = t.TempDir(), other
			if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), c); !errors.Is(err, fail.Version) || !strings.Contains(err.Error(), "of another run") {
				t.Errorf("resumed with %d given and %d nearest: %v", len(other.Values), other.Neighbours, err)
			}
		}
		if again, result := bigmkltest.Converge(t, datasettest.Stream(rows), r); result.Resumed == 0 || !bytes.Equal(bigmkltest.Encoded(t, again), bigmkltest.Encoded(t, m)) {
			t.Error("another model after a resumption")
		}
	}
}

// TestPathAndStartWithPosteriors: paths over C and starts from other models end at the optimum of the posteriors.
func TestPathAndStartWithPosteriors(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 904)
	rows := datasettest.Clouds(rng, 250, 4)
	o := bigmkl.Options{Kernels: "gauss:auto/3,linear", Gap: 1e-4, Scratch: t.TempDir()}
	plain, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	o.Posteriors.Values = unsure(rng, rows)
	of := func(c float64) *bigmkl.Model {
		one := o
		one.C = c
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), one)
		return m
	}
	err := bigmkl.Path(t.Context(), datasettest.Stream(rows), o, bigmkl.Grid([]float64{1, 2}, []float64{0.1, 1, 10}), func(p bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result) error {
		if r.Status != chunking.Converged {
			t.Errorf("%+v: %s", p, r.Status)
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := of(1)
	for _, from := range []*bigmkl.Model{plain, want, of(10)} {
		o.Init = from
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		if d := m.Certificate.Dual - want.Certificate.Dual; math.Abs(d) > 2e-4*want.Certificate.Dual {
			t.Errorf("dual %v, from zero %v", m.Certificate.Dual, want.Certificate.Dual)
		}
	}
}

// TestHeldOutWithPosteriors: a training without some rows equals a training on the others with their posteriors. Posteriors of nearest
// rows do not use the labels of rows that are left out.
func TestHeldOutWithPosteriors(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 905)
	rows := datasettest.Clouds(rng, 220, 3)
	p := unsure(rng, rows)
	var rest, left []dataset.Row
	var kept []float64
	var out []int32
	for i, r := range rows {
		if i%3 == 1 {
			left, out = append(left, r), append(out, int32(i))
		} else {
			rest, kept = append(rest, r), append(kept, p[i])
		}
	}
	for _, nearest := range []int{0, 7} {
		o := bigmkl.Options{Kernels: "gauss:0.1,gauss:1,linear", Normalize: "none", Gap: 1e-7, Scratch: t.TempDir(), Posteriors: bigmkl.Posteriors{Neighbours: nearest}}
		alone := o
		if nearest == 0 {
			o.Posteriors.Values, alone.Posteriors.Values = p, kept
		}
		m, _ := bigmkltest.Converge(t, datasettest.Stream(rest), alone)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rest))
		var want []float64
		if err := m.Predict(t.Context(), datasettest.Stream(left), bigmkl.PredictOptions{}, func(q bigmkl.Prediction) error {
			want = append(want, q.Decision)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		h, err := bigmkl.OpenHeldOut(t.Context(), datasettest.Stream(rows), o)
		if err != nil {
			t.Fatal(err)
		}
		held, err := h.Train(t.Context(), out, o.Point(), nil)
		h.Close()
		if err != nil {
			t.Fatal(err)
		}
		for j, f := range held.Decisions[0] {
			if math.Abs(f-want[j]) > 1e-3 {
				t.Fatalf("%d nearest: f = %v at row %d, of the others alone %v", nearest, f, out[j], want[j])
			}
		}
	}
}

// TestWrongPosteriors: each is one error, before any training.
func TestWrongPosteriors(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 906), 60, 3)
	same := func(x float64) []float64 { return slices.Repeat([]float64{x}, len(rows)) }
	for _, c := range []struct {
		o    bigmkl.Options
		want string
		is   error
	}{
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: append(same(0.3), 0.7)}}, "61 posteriors for 60 rows", bigmkl.ErrInput},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: same(0.3)[:59]}}, "59 posteriors for 60 rows", bigmkl.ErrInput},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: []float64{}}}, "0 posteriors for 60 rows", bigmkl.ErrInput},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: append(same(0.3)[:59], 1.01)}}, "posterior 60 is 1.01", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: append(same(0.3)[:59], math.NaN())}}, "posterior 60 is NaN", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: append(same(0.3)[:59], -1e-9)}}, "not in [0, 1]", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: same(0.5009)}}, "all 60 posteriors are within 0.001 of 1/2", bigmkl.ErrInput},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: same(0.8)}}, "no posterior is 0.499 or less", bigmkl.ErrInput},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: same(0.2)}}, "no posterior is 0.501 or more", bigmkl.ErrInput},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Values: same(0.2), Neighbours: 3}}, "beside those of nearest rows", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Features: "1-2"}}, "features of nearest rows without", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Neighbours: -1}}, "of -1 nearest rows", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Neighbours: 1001}}, "of 1001 nearest rows", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Neighbours: 60}}, "there are 59 others", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Neighbours: 3, Features: "9-10"}}, "the features of nearest rows", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Neighbours: 3, Features: "each-feature"}}, "is not one set of features", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Neighbours: 3, Features: "1 norm=none"}}, "is not one set of features", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Neighbours: 3}, Multiclass: bigmkl.OneVsRest}, "ovr is for more", bigmkl.ErrUsage},
		{bigmkl.Options{Posteriors: bigmkl.Posteriors{Neighbours: 3}, Task: bigmkl.TaskSVR}, "the task is svr", bigmkl.ErrUsage},
	} {
		c.o.Scratch = t.TempDir()
		if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), c.o); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, and not %q", err, c.want)
		}
		if _, err := bigmkl.NewPlan(t.Context(), datasettest.Stream(rows), c.o); !errors.Is(err, c.is) {
			t.Errorf("%s: the plan says %v", c.want, err)
		}
	}
}
