package library

import (
	"bytes"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestTrainerFaultyBatch: a batch that does not fit is one clear error, and leaves the trainer as it
// was.
func TestTrainerFaultyBatch(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 94), 300, 3)
	o := bigmkl.Options{Kernels: "gauss:auto/3"}
	faulty := func(change func(r *dataset.Row)) []dataset.Row {
		list := slices.Clone(rows[200:])
		r := &list[70]
		r.Index, r.Value = slices.Clone(r.Index), slices.Clone(r.Value)
		r.File, r.Line = "batch", 71
		change(r)
		return list
	}
	tr, other := newTrainer(t, o), newTrainer(t, o)
	one := slices.Clone(rows[:100])
	for i := range one {
		one[i].Label = "1"
	}
	if err := tr.Add(t.Context(), datasettest.Stream(one)); !errors.Is(err, bigmkl.ErrInput) {
		t.Errorf("a first batch of one class: %v", err)
	}
	if _, err := tr.Snapshot(); !errors.Is(err, bigmkl.ErrUsage) {
		t.Errorf("a snapshot before the first training: %v", err)
	}
	addAndFit(t, tr, rows[:200])
	addAndFit(t, other, rows[:200])
	for want, change := range map[string]func(r *dataset.Row){
		"batch:71: feature 9, but the rows before have only 3 features": func(r *dataset.Row) { r.Index, r.Value = []int32{0, 8}, []float64{1, 2} },
		"batch:71: the value of feature 1 is missing":                   func(r *dataset.Row) { r.Index, r.Value = []int32{0}, []float64{math.NaN()} },
		`batch:71: class "7", but the rows before have only -1, 1`:      func(r *dataset.Row) { r.Label = "7" },
		"batch:71: the row has no label":                                func(r *dataset.Row) { r.Label = "" },
		"batch:71: weight -1":                                           func(r *dataset.Row) { r.Weight = -1 },
	} {
		err := tr.Add(t.Context(), datasettest.Stream(faulty(change)))
		if !errors.Is(err, fail.Input) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if kept, waiting := tr.Rows(); kept != 200 || waiting != 0 {
		t.Errorf("%d rows and %d that wait after faulty batches", kept, waiting)
	}
	a, _ := addAndFit(t, tr, rows[200:])
	b, _ := addAndFit(t, other, rows[200:])
	if !bytes.Equal(bigmkltest.Encoded(t, a), bigmkltest.Encoded(t, b)) {
		t.Error("a faulty batch changed the trainer")
	}
}

// TestTrainerAtOnce adds rows and takes snapshots while fits run. Every snapshot is whole: it verifies
// on the rows that it lists as seen.
func TestTrainerAtOnce(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 95), 1500, 3)
	tr := newTrainer(t, bigmkl.Options{Kernels: "gauss:0.3,linear", Threads: 2})
	addAndFit(t, tr, rows[:100])
	var wait sync.WaitGroup
	wait.Go(func() {
		for i := 100; i < len(rows); i += 100 {
			if err := tr.Add(t.Context(), datasettest.Stream(rows[i:i+100])); err != nil {
				t.Error(err)
			}
		}
	})
	for range 5 {
		wait.Go(func() {
			if _, err := tr.Fit(t.Context()); err != nil {
				t.Error(err)
			}
			m, err := tr.Snapshot()
			if err != nil {
				t.Error(err)
				return
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows[:m.Points]))
		})
	}
	wait.Wait()
	if _, err := tr.Fit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, _ := tr.Snapshot(); m.Points != len(rows) {
		t.Errorf("%d rows in the end, want %d", m.Points, len(rows))
	}
}

// TestTrainerRefusals: what a trainer does not do is said at once.
func TestTrainerRefusals(t *testing.T) {
	t.Parallel()
	for _, o := range []bigmkl.Options{{Multiclass: bigmkl.OneVsOne}, {Multiclass: bigmkl.SingleClassifier},
		{Multiclass: bigmkl.OneVsRest, OneTheta: true}, {Folds: 3}, {Checkpoint: t.TempDir()},
		{Solver: bigmkl.SolverWrapper}, {Init: &bigmkl.Model{}}, {Limit: 5}, {C: -1}} {
		if _, err := bigmkl.NewTrainer(o); !errors.Is(err, bigmkl.ErrUsage) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	tr := newTrainer(t, bigmkl.Options{})
	if _, err := tr.Fit(t.Context()); !errors.Is(err, bigmkl.ErrUsage) {
		t.Errorf("without rows: %v", err)
	}
	if err := tr.Window(-1); !errors.Is(err, bigmkl.ErrUsage) {
		t.Errorf("a negative window: %v", err)
	}
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	if err := tr.Add(t.Context(), datasettest.Stream(nil)); !errors.Is(err, bigmkl.ErrUsage) {
		t.Errorf("after Close: %v", err)
	}
}

// TestTrainerCut: a training that is cut, or ends at a limit, leaves a trainer that goes on. What was
// done on rows so far is not lost, and nothing is claimed that is not so.
func TestTrainerCut(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 100), 360, 4)
	for _, kernels := range []string{"gauss:auto/3,linear", "gauss:auto/20"} {
		o := bigmkl.Options{Kernels: kernels, Gap: 1e-4, Threads: 2, Tuning: falling}
		count := 0
		stop := func() {}
		o.Recorder = recorderFunc(func(bigmkl.Event) error {
			if count++; count == 3 {
				stop()
			}
			return nil
		})
		tr := newTrainer(t, o)
		tr.Window(280)
		done := 0
		for _, end := range []int{120, 200, 240, 360} {
			if err := tr.Add(t.Context(), datasettest.Stream(rows[done:end])); err != nil {
				t.Fatal(err)
			}
			done = end
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			var cut *bigmkl.Unfinished
			if _, err := tr.Fit(ctx); !errors.As(err, &cut) {
				t.Errorf("a context that is done: %v", err)
			}
			ctx, stop = context.WithCancel(t.Context())
			count = 0
			_, err := tr.Fit(ctx)
			stop()
			if err != nil {
				t.Fatal(err)
			}
			m, err := tr.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			kept := rows[max(0, done-280):done]
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(kept))
			if r, err := tr.Fit(t.Context()); err != nil || r.Status != chunking.Converged {
				t.Fatalf("%v, %+v", err, r)
			}
			m, _ = tr.Snapshot()
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(kept))
		}
	}
}

// recorderFunc is a function that is a Recorder.
type recorderFunc func(bigmkl.Event) error

func (f recorderFunc) Record(e bigmkl.Event) error { return f(e) }
