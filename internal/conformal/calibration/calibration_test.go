package calibration

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/conformal"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/train"
	"bigmkl/internal/verifytest"
	"bigmkl/verify"
)

// TestThreshold has closed forms: of 9 scores the 9th belongs to a coverage of 0.9, and a larger coverage needs more scores.
func TestThreshold(t *testing.T) {
	t.Parallel()
	scores := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
	for coverage, want := range map[float64]float64{.9: 9, .8: 8, .81: 9, .5: 5, .1: 1, .01: 1, .91: math.Inf(1)} {
		if got := conformal.Threshold(scores, 0, coverage); got != want {
			t.Errorf("coverage %g: %g, want %g", coverage, got, want)
		}
	}
	if got := conformal.Threshold(nil, 0, .5); !math.IsInf(got, 1) {
		t.Errorf("%g of no scores", got)
	}
	for coverage, want := range map[float64]int{.9: 9, .95: 19, .5: 1, .99: 99} {
		if got := conformal.LeastScores(coverage); got != want {
			t.Errorf("coverage %g takes %d scores, want %d", coverage, got, want)
		}
	}
}

// TestThresholdCovers simulates the null: of exchangeable scores the next one is at most the threshold with the probability of the coverage,
// and at most 1/(n+1) more often.
func TestThresholdCovers(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 1)
	const draws = 4000
	for _, n := range []int{19, 50} {
		for _, coverage := range []float64{.8, .9, .95} {
			held := 0
			for range draws {
				scores := make([]float64, n)
				for i := range scores {
					scores[i] = rng.NormFloat64()
				}
				slices.Sort(scores)
				if rng.NormFloat64() <= conformal.Threshold(scores, 0, coverage) {
					held++
				}
			}
			share, room := float64(held)/draws, 3*math.Sqrt(coverage*(1-coverage)/draws)
			if share < coverage-room || share > coverage+1/float64(n+1)+room {
				t.Errorf("n = %d, coverage %g: %g", n, coverage, share)
			}
		}
	}
}

// line draws rows whose target is a line with errors.
func line(rng *rand.Rand, n int) []dataset.Row {
	rows := make([]dataset.Row, n)
	for i := range rows {
		x := rng.NormFloat64()
		rows[i] = dataset.Row{Target: x + .5*rng.NormFloat64(), Index: []int32{0, 1}, Value: []float64{x, rng.NormFloat64()}}
	}
	return rows
}

// problems are trainings with scores, by their names.
var problems = map[string]struct {
	rows func(*rand.Rand, int) []dataset.Row
	o    bigmkl.Options
	c    Options
}{
	"svr split":       {line, bigmkl.Options{Task: "svr", Kernels: "linear,gauss:auto"}, Options{Share: .3}},
	"high split":      {line, bigmkl.Options{Task: "quantile", Tau: 0.9, Kernels: "linear,gauss:auto"}, Options{Share: 0.4}},
	"low folds":       {line, bigmkl.Options{Task: "quantile", Tau: 0.1, Kernels: "linear"}, Options{Folds: 4}},
	"median split":    {line, bigmkl.Options{Task: "quantile", Kernels: "linear"}, Options{Share: 0.4}},
	"quantiles split": {line, bigmkl.Options{Task: "quantile", Taus: []float64{0.05, 0.5, 0.95}, Kernels: "linear,gauss:auto"}, Options{Share: 0.4}},
	"quantiles folds": {line, bigmkl.Options{Task: "quantile", Taus: []float64{0.2, 0.8}, Kernels: "linear"}, Options{Folds: 4}},
	"expectile split": {line, bigmkl.Options{Task: "expectile", Tau: 0.9, Kernels: "linear"}, Options{Share: 0.3}},
	"huber split":     {line, bigmkl.Options{Task: "huber", Kernels: "linear"}, Options{Share: 0.3}},
	"square folds":    {line, bigmkl.Options{Task: "square", Kernels: "linear"}, Options{Folds: 5}},
	"two folds":       {clouds, bigmkl.Options{Kernels: "linear,gauss:auto"}, Options{Folds: 4}},
	"odds folds":      {clouds, bigmkl.Options{Task: "logistic", Kernels: "linear,gauss:auto"}, Options{Folds: 4}},
	"two split":       {clouds, bigmkl.Options{Kernels: "linear"}, Options{Share: .4, ByClass: true}},
	"ovr by class":    {clusters, bigmkl.Options{Multiclass: "ovr", Kernels: "linear"}, Options{Folds: 4, ByClass: true}},
	"ovo split":       {clusters, bigmkl.Options{Multiclass: "ovo", Kernels: "linear"}, Options{Share: .4}},
	"single split":    {clusters, bigmkl.Options{Multiclass: "single", Kernels: "linear"}, Options{Share: .4}},
	"mixture split":   {clouds, bigmkl.Options{Task: "mixture", Kernels: "linear,gauss:0.1", Restarts: 1, Gap: .1}, Options{Share: .4}},
	"default split":   {line, bigmkl.Options{Task: "svr", Kernels: "linear", Scale: "standard", Impute: "median"}, Options{}},
	"sparse by class": {clouds, bigmkl.Options{Kernels: "linear", Store: dataset.LayoutSparse}, Options{Folds: 3, ByClass: true}},
}

func clouds(rng *rand.Rand, n int) []dataset.Row { return datasettest.Clouds(rng, n, 3) }

func clusters(rng *rand.Rand, n int) []dataset.Row {
	return datasettest.Clusters(rng, n, 3, 3, false)
}

// TestCoverage: of new rows the share of the coverage has its target or class in the region, within the errors that the number
// of scores and of rows allows; the claims of the model are true, the same bytes for other threads, and reads as it was written.
func TestCoverage(t *testing.T) {
	t.Parallel()
	for name, p := range problems {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testlevel.Sample(t, 3, 1)
			rng := datasettest.Random(t, 2)
			rows, fresh := p.rows(rng, 300), p.rows(rng, 1500)
			train := func(threads int) (*bigmkl.Model, []byte) {
				o := p.o
				o.Threads = threads
				m, _, err := Train(t.Context(), datasettest.Stream(rows), o, p.c)
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(t.TempDir(), "m")
				if err := m.Save(t.Context(), path); err != nil {
					t.Fatal(err)
				}
				b, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				return m, b
			}
			m, text := train(1)
			defer m.Close()
			other, again := train(3)
			other.Close()
			if !bytes.Equal(text, again) {
				t.Error("other threads give another model")
			}
			path := filepath.Join(t.TempDir(), "m")
			if err := m.Save(t.Context(), path); err != nil {
				t.Fatal(err)
			}
			read, err := bigmkl.Load(path)
			if err != nil || fmt.Sprint(*read.Conformal) != fmt.Sprint(*m.Conformal) {
				t.Fatalf("%v, %+v", err, read)
			}
			found, err := verify.Run(t.Context(), &m.Model, datasettest.Stream(rows), verify.Options{})
			if err != nil || len(found.Faults) > 0 {
				t.Fatal(found, err)
			}
			for _, coverage := range []float64{.8, .9} {
				r, err := conformal.New(&m.Model, coverage)
				if err != nil || !r.Bounded() {
					t.Fatal(err, r)
				}
				held := 0
				if err := read.Predict(t.Context(), datasettest.Stream(fresh), bigmkl.PredictOptions{}, func(q bigmkl.Prediction) error {
					if covers(r, &q) {
						held++
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				share, n := float64(held)/float64(len(fresh)), float64(len(m.Conformal.Scores))
				if p.c.ByClass {
					n /= float64(len(r.Classes()))
				}
				room := 3*math.Sqrt(coverage*(1-coverage)*(1/n+1/float64(len(fresh)))) + 1/n
				if math.Abs(share-coverage) > room {
					t.Errorf("coverage %g: %g of fresh rows, more than %g off", coverage, share, room)
				}
			}
		})
	}
}

// TestQuantileCoverage: the bounds of a quantile hold the share that was asked for, over the draws of rows and splits, although the
// quantile itself is far off: its model is a line through a curve of growing noise. The number of rows held is beta-binomial.
func TestQuantileCoverage(t *testing.T) {
	t.Parallel()
	const fresh = 200
	rng, repeats := datasettest.Random(t, 8), testlevel.Repeats(40, 200)
	draw := func(n int) []dataset.Row {
		rows := make([]dataset.Row, n)
		for i := range rows {
			x := 3 * rng.Float64()
			rows[i] = dataset.Row{Target: math.Sin(3*x) + x*rng.NormFloat64(), Index: []int32{0}, Value: []float64{x}}
		}
		return rows
	}
	for _, c := range []struct{ tau, coverage float64 }{{0.95, 0.9}, {0.6, 0.8}, {0.1, 0.9}, {0.5, 0.8}} {
		sum, mean, deviation := 0.0, 0.0, 0.0
		for range repeats {
			m, _, err := Train(t.Context(), datasettest.Stream(draw(100)), bigmkl.Options{Task: "quantile", Tau: c.tau, Kernels: "linear", Threads: 1}, Options{Share: 0.5})
			if err != nil {
				t.Fatal(err)
			}
			r, err := conformal.New(&m.Model, c.coverage)
			if err != nil {
				t.Fatal(err)
			}
			if r.TwoSided() != (c.tau == 0.5) {
				t.Errorf("tau = %g: two sides are %v", c.tau, r.TwoSided())
			}
			mean, deviation = conformal.Expected(50, fresh, c.coverage)
			if err := m.Predict(t.Context(), datasettest.Stream(draw(fresh)), bigmkl.PredictOptions{}, func(q bigmkl.Prediction) error {
				low, high := r.Interval(&q)
				if math.IsInf(low, -1) != (c.tau > 0.5) || math.IsInf(high, 1) != (c.tau < 0.5) {
					t.Fatalf("tau = %g: the interval from %g to %g", c.tau, low, high)
				}
				if covers(r, &q) {
					sum += 1 / float64(fresh*repeats)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			m.Close()
		}
		off := (sum - mean) / (deviation / math.Sqrt(float64(repeats)))
		t.Logf("tau = %g, coverage %g: %.4f of the rows, %.1f errors off %.4f", c.tau, c.coverage, sum, off, mean)
		if math.Abs(off) > 3 {
			t.Errorf("tau = %g, coverage %g: %.4f of the rows, %.1f errors off %.4f", c.tau, c.coverage, sum, off, mean)
		}
	}
}

// covers reports whether the region of a prediction has what is known of the row.
func covers(r *conformal.Regions, p *bigmkl.Prediction) bool {
	if r.Classes() == nil {
		low, high := r.Interval(p)
		return p.Target >= low && p.Target <= high
	}
	for _, c := range r.Set(p, nil) {
		if r.Classes()[c] == p.Known {
			return true
		}
	}
	return false
}

// TestByClass: where a class is rare, scores of all rows may leave it out, and scores by class do not.
func TestByClass(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 3)
	draw := func(n int) []dataset.Row {
		rows := make([]dataset.Row, n)
		for i := range rows {
			rare := i%8 == 0
			x := rng.NormFloat64()
			rows[i] = dataset.Row{Label: "often", Index: []int32{0}, Value: []float64{x}}
			if rare {
				rows[i].Label, rows[i].Value[0] = "rare", x+1
			}
		}
		return rows
	}
	rows, fresh := draw(600), draw(2000)
	held := map[bool]float64{}
	for _, by := range []bool{false, true} {
		m, _, err := Train(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: "linear", Scale: "none"}, Options{Share: .5, ByClass: by})
		if err != nil {
			t.Fatal(err)
		}
		r, err := conformal.New(&m.Model, .8)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Predict(t.Context(), datasettest.Stream(fresh), bigmkl.PredictOptions{}, func(q bigmkl.Prediction) error {
			if q.Known == "rare" && covers(r, &q) {
				held[by] += 8. / float64(len(fresh))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
	if held[true] < .6 || held[false] > held[true]-.1 {
		t.Errorf("of the rare class %v are held", held)
	}
}

// TestRareFeatures: features that no row of the training has occur in new rows as well as in calibration rows. So the
// coverage holds where most rows have one.
func TestRareFeatures(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 6)
	draw := func(n int) []dataset.Row {
		rows := make([]dataset.Row, n)
		for i := range rows {
			x := rng.NormFloat64()
			rows[i] = dataset.Row{Target: x, Index: []int32{0, int32(1 + rng.IntN(400))}, Value: []float64{x, 3}}
		}
		rows[0].Index[1] = 400
		return rows
	}
	held, count := 0, 0
	for range testlevel.Repeats(8, 20) {
		m, _, err := Train(t.Context(), datasettest.Stream(draw(80)), bigmkl.Options{Task: "svr", Kernels: "gauss:0.05", Scale: "none"}, Options{Share: .4})
		if err != nil {
			t.Fatal(err)
		}
		r, err := conformal.New(&m.Model, .9)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Predict(t.Context(), datasettest.Stream(draw(200)), bigmkl.PredictOptions{}, func(q bigmkl.Prediction) error {
			if count++; covers(r, &q) {
				held++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		m.Close()
	}
	if share := float64(held) / float64(count); share < .84 {
		t.Errorf("%g of the rows are held, where .9 were asked for", share)
	}
}

// ender ends a run at its first iteration.
type ender func()

func (e ender) Record(train.Event) error { e(); return nil }

// TestInterrupted: where the training is interrupted the model has no scores, a warning and the status of that, and the model of split knows which
// rows had no part in it. Where no time is left no fold is trained.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	rows := clouds(datasettest.Random(t, 7), 300)
	for name, c := range map[string]struct {
		options Options
	}{
		"folds": {Options{Folds: 5}}, "split": {Options{Share: .3, ByClass: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := bigmkl.Options{Kernels: "linear,gauss:auto", Gap: 1e-9, Recorder: ender(cancel)}
			m, result, err := Train(ctx, datasettest.Stream(rows), o, c.options)
			if err != nil || result.Status != chunking.Interrupted || (m.Conformal != nil) != (name == "split") || len(result.Warnings) == 0 || !strings.Contains(result.Warnings[len(result.Warnings)-1], "no calibration scores") {
				t.Fatalf("%v, %+v", err, result)
			}
			defer m.Close()
			if _, err := conformal.New(&m.Model, .9); !errors.Is(err, fail.Usage) {
				t.Error(err)
			}
			if err := m.Validate(); err != nil {
				t.Error(err)
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		})
	}
	o := bigmkl.Options{MaxTime: time.Hour}
	r, err := keep(t.Context(), datasettest.Stream(rows), o, Options{Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.began = time.Now().Add(-2 * time.Hour)
	folds, err := r.folds()
	if err != nil {
		t.Fatal(err)
	}
	if err := (&scores{rows: r.Rows, classes: r.Names, options: &o}).train(t.Context(), folds); !errors.Is(err, train.ErrStopped) {
		t.Error(err)
	}
}

// TestInterruptedFold: an interrupt after the training of the model, in that of a fold, is the status of the run.
func TestInterruptedFold(t *testing.T) {
	t.Parallel()
	rows := clouds(datasettest.Random(t, 15), 200)
	train := func(at int) (calls int, m *bigmkl.Model, result *bigmkl.Result) {
		var err error
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o := bigmkl.Options{Kernels: "linear,gauss:auto"}
		o.Heap = func(int64) {
			if calls++; calls == at {
				cancel()
			}
		}
		if at == 0 {
			m, result, err = bigmkl.Train(ctx, datasettest.Stream(rows), o)
		} else {
			m, result, err = Train(ctx, datasettest.Stream(rows), o, Options{Folds: 3})
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { m.Close() })
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		return calls, m, result
	}
	calls, _, _ := train(0)
	_, m, result := train(calls + 1)
	if result.Status != chunking.Interrupted || m.Conformal != nil || len(result.Warnings) == 0 {
		t.Errorf("%v, %+v", result.Status, m.Conformal)
	}
	if _, m, result = train(100 * calls); result.Status != chunking.Converged || m.Conformal == nil {
		t.Errorf("%v, %+v", result.Status, m.Conformal)
	}
}

// TestInitialModels: with split a training starts from a model of the same split alone.
func TestInitialModels(t *testing.T) {
	t.Parallel()
	rows := clouds(datasettest.Random(t, 14), 80)
	train := func(rows []dataset.Row, o bigmkl.Options, c Options) (*bigmkl.Model, error) {
		o.Kernels = "linear"
		m, _, err := Train(t.Context(), datasettest.Stream(rows), o, c)
		if err == nil {
			t.Cleanup(func() { m.Close() })
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		}
		return m, err
	}
	split, err := train(rows, bigmkl.Options{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	folds, err := train(rows, bigmkl.Options{}, Options{Folds: 3})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		rows []dataset.Row
		o    bigmkl.Options
		c    Options
		fine bool
	}{
		"the same split": {rows, bigmkl.Options{Init: split, C: 2}, Options{Share: .2}, true}, "another share": {rows, bigmkl.Options{Init: split}, Options{Share: .3}, false},
		"another seed": {rows, bigmkl.Options{Init: split, Seed: 1}, Options{}, false}, "fewer rows": {rows[:70], bigmkl.Options{Init: split}, Options{}, false},
		"all rows": {rows, bigmkl.Options{Init: folds}, Options{}, false}, "folds": {rows, bigmkl.Options{Init: folds, C: 2}, Options{Folds: 3}, true},
	} {
		if _, err := train(c.rows, c.o, c.c); (err == nil) != c.fine || err != nil && (!errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), "an initial model that may know rows")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFaults: what has no regions is rejected, and so are coverages and models without scores.
func TestFaults(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 4), 30, 2)
	for name, p := range map[string]struct {
		o bigmkl.Options
		c Options
	}{
		"one class": {bigmkl.Options{Task: "oneclass"}, Options{}}, "labels": {bigmkl.Options{Multiclass: "labels"}, Options{}}, "rkda": {bigmkl.Options{Task: "rkda"}, Options{}},
		"both": {bigmkl.Options{}, Options{Folds: 3, Share: .2}}, "one fold": {bigmkl.Options{}, Options{Folds: 1}}, "all rows": {bigmkl.Options{}, Options{Share: 1}},
		"a matrix": {bigmkl.Options{Kernels: "precomputed:k.npy"}, Options{}}, "components": {bigmkl.Options{Task: "mixture", Observed: make([]float64, 30)}, Options{}}, "classes of numbers": {bigmkl.Options{Task: "svr"}, Options{ByClass: true}},
	} {
		if _, _, err := Train(t.Context(), datasettest.Stream(rows), p.o, p.c); !errors.Is(err, fail.Usage) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := Train(t.Context(), datasettest.Stream(rows[:2]), bigmkl.Options{}, Options{}); !errors.Is(err, fail.Input) {
		t.Error(err)
	}
	for _, coverage := range []float64{0, 1, -1, math.NaN(), 2} {
		if _, err := conformal.New(&model.Model{Conformal: &model.Conformal{}}, coverage); !errors.Is(err, fail.Usage) {
			t.Errorf("coverage %g: %v", coverage, err)
		}
	}
	if _, err := conformal.New(&model.Model{}, .9); !errors.Is(err, fail.Usage) {
		t.Error(err)
	}
}

// lateSource is one whose time has ended.
type lateSource struct{ dataset.Source }

func (lateSource) Next() (dataset.Row, error) { return dataset.Row{}, context.DeadlineExceeded }

// TestTimeEndsWhileRowsAreKept: the error reports the time limit, as the error of a training does.
func TestTimeEndsWhileRowsAreKept(t *testing.T) {
	var u *bigmkl.Unfinished
	_, _, err := Train(t.Context(), lateSource{}, bigmkl.Options{Kernels: "linear", Scratch: t.TempDir()}, Options{ByClass: true})
	if !errors.As(err, &u) || u.Status != chunking.TimeLimit {
		t.Error(err)
	}
}
