package optima

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

const pathBank = "gauss:0.05..0.8/4,laplace:0.2,linear@each-feature"

// TestWarmStart starts from models of neighbouring problems: that must save iterations and end at the same optimum.
func TestWarmStart(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 11)
	rows := datasettest.Clouds(rng, 500, 4)
	var shuffled []dataset.Row
	for _, i := range rng.Perm(len(rows)) {
		shuffled = append(shuffled, rows[i])
	}
	for _, p := range testlevel.Some(t, "", 3, []float64{1, 1.0667, 4.0 / 3, 2, 3, math.Inf(1)}) {
		o := bigmkl.Options{Kernels: pathBank, Norm: p, C: 0.5, Tuning: chunking.Tuning{WorkingSet: 128}}
		same := 3
		if p > 2 {
			same = 6 // the way through the smoothed problems is gone again
		}
		cold, first := bigmkltest.Converge(t, datasettest.Stream(rows), o)
		fewer, _ := bigmkltest.Converge(t, datasettest.Stream(rows[:450]), o)
		other := o
		other.C = 0.4
		near, _ := bigmkltest.Converge(t, datasettest.Stream(rows), other)
		for _, c := range []struct {
			name string
			from *bigmkl.Model
			most int
		}{
			{"same", cold, same},
			{"other C", near, first.Iterations},
			{"fewer rows", fewer, first.Iterations - 1},
		} {
			t.Run(fmt.Sprintf("p=%.4g/%s", p, c.name), func(t *testing.T) {
				testlevel.Sample(t, 2, 1)
				warm := o
				warm.Init = c.from
				m, r := bigmkltest.Converge(t, datasettest.Stream(rows), warm)
				t.Logf("%d iterations, %d from nothing", r.Iterations, first.Iterations)
				if r.Iterations > c.most {
					t.Errorf("%d iterations, want at most %d", r.Iterations, c.most)
				}
				verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			})
		}
		t.Run(fmt.Sprintf("p=%.4g/shuffled", p), func(t *testing.T) {
			warm := o
			warm.Init = cold
			m, r := bigmkltest.Converge(t, datasettest.Stream(shuffled), warm)
			if r.Iterations > same {
				t.Errorf("%d iterations", r.Iterations)
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(shuffled))
		})
	}
}

// TestWarmStartOnOtherData: what does not fit is left out, and a model of more features is rejected.
func TestWarmStartOnOtherData(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 12)
	rows, wide := datasettest.Clouds(rng, 200, 4), datasettest.Clouds(rng, 200, 6)
	o := bigmkl.Options{Kernels: "gauss:0.2,linear", C: 2}
	small, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	o.Init = small
	fewer, _ := bigmkltest.Converge(t, datasettest.Stream(rows[:50]), o)
	verifytest.MustVerify(t, &fewer.Model, datasettest.Stream(rows[:50]))
	unrelated, _ := bigmkltest.Converge(t, datasettest.Stream(wide), o)
	verifytest.MustVerify(t, &unrelated.Model, datasettest.Stream(wide))
	// All labels the other way round: no alpha is in its box.
	for i := range rows {
		rows[i].Label = map[string]string{"1": "-1", "-1": "1"}[rows[i].Label]
	}
	turned, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	verifytest.MustVerify(t, &turned.Model, datasettest.Stream(rows))
	o.Init = unrelated
	if _, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), o); err == nil {
		t.Error("a model of six features was taken for data of four")
	}
}

// TestLimits: a run that is stopped returns the model as it is, with the gap that it has. Stopped at every iteration in turn,
// some of the time points are asleep.
func TestLimits(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 13), 700, 4)
	o := bigmkl.Options{Kernels: "gauss:0.1,gauss:0.5", C: 0.1, Gap: 1e-4, Precision: "32", Tuning: chunking.Tuning{WorkingSet: 48, Shrink: 0.8}}
	whole, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	t.Logf("%s: %d iterations, %d passes, gap %.3g", r.Status, r.Iterations, r.Gradient.Passes, whole.Certificate.RelativeGap)
	asleep := 0
	for n := 1; n < r.Iterations; n++ {
		limited := o
		limited.MaxIterations = n
		m, got := bigmkltest.TrainModel(t, datasettest.Stream(rows), limited)
		if got.Status != chunking.IterationLimit || got.Iterations != n {
			t.Errorf("%s after %d iterations, want the limit at %d", got.Status, got.Iterations, n)
		}
		if !(m.Certificate.RelativeGap > o.Gap) {
			t.Errorf("stopped at %d with gap %g", n, m.Certificate.RelativeGap)
		}
		if bigmkltest.Slept(got) {
			asleep++
		}
		report := verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		bigmkltest.SameValues(t, m, report.Primal, 1e-4)

		// Cancelled at the same moment it is the same model: the limits are not in it.
		ctx, cancel := context.WithCancel(context.Background())
		interrupted := o
		interrupted.Recorder = &bigmkltest.StopAt{Iteration: n, Stop: cancel}
		again, cut, err := bigmkl.Train(ctx, datasettest.Stream(rows), interrupted)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if cut.Status != chunking.Interrupted || cut.Iterations != n {
			t.Errorf("%s after %d iterations, want an interruption at %d", cut.Status, cut.Iterations, n)
		}
		if !bytes.Equal(bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, again)) {
			t.Errorf("at iteration %d the limit and the cancelled context give different models", n)
		}
	}
	if asleep == 0 {
		t.Error("no point was asleep at any of the limits")
	}
}

// waiting has the first iteration take so long.
type waiting struct{ first time.Duration }

func (w *waiting) Record(bigmkl.Event) error {
	time.Sleep(w.first)
	w.first = 0
	return nil
}

// TestTimeLimit: a limit that comes in an iteration leaves a model, one that comes before the first
// leaves none.
func TestTimeLimit(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 14), 100, 4)
	limit := 2 * time.Second
	m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), bigmkl.Options{Kernels: pathBank, Gap: 1e-12, MaxTime: limit, Recorder: &waiting{limit}})
	if r.Status != chunking.TimeLimit || r.Iterations != 1 {
		t.Errorf("%s after %d iterations", r.Status, r.Iterations)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	m, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), bigmkl.Options{Kernels: pathBank, MaxTime: time.Nanosecond})
	var u *bigmkl.Unfinished
	if m != nil || !errors.As(err, &u) || u.Status != chunking.TimeLimit || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("model %v and error %v from a limit that had passed", m, err)
	}
	// Whoever cancels before the data are read gets no model.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if m, _, err := bigmkl.Train(ctx, datasettest.Stream(rows), bigmkl.Options{}); m != nil || err == nil {
		t.Errorf("model %v and error %v from a cancelled context", m, err)
	}
}

// TestPathOfWidths goes from a norm below 2 to one above: the run ends in double precision then, and
// the kernels are normalised a second time. Of so many widths gradients are held for a few, whose
// coefficients contain the normalisation and must have it once.
func TestPathOfWidths(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 101), 300, 4)
	o := bigmkl.Options{Kernels: "gauss:0.01..10/60", MaxIterations: 300, Scratch: t.TempDir()}
	emit := func(p bigmkl.PathPoint, m *bigmkl.Model, r *bigmkl.Result) error {
		if r.Status != chunking.Converged {
			t.Errorf("p = %g: %s at a gap of %g", p.Norm, r.Status, m.Certificate.RelativeGap)
		}
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		return nil
	}
	if err := bigmkl.Path(t.Context(), datasettest.Stream(rows), o, bigmkl.Grid([]float64{1.5, 3}, []float64{1}), emit); err != nil {
		t.Fatal(err)
	}
}
