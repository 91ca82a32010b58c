package train

import (
	"context"
	"testing"
	"time"

	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// given are options as users of the library get them by default, changed by the tests.
func given(t testing.TB, change func(o *Options)) Options {
	t.Helper()
	o := Options{
		Data: Data{Scale: dataset.ScaleNone}, Kernels: Kernels{Specs: "gauss:auto/3,linear", Normalize: "multiplicative"},
		Problem: Problem{Task: "class", C: 1, LossSettings: model.LossSettings{Epsilon: 0.1, Nu: 0.5}}, Norm: Norm{P: 4.0 / 3},
		Solver: Solver{Gap: 1e-3, Precision: chunking.Auto}, Budget: budget.Options{Threads: 2, Scratch: t.TempDir()},
	}
	change(&o)
	return o
}

// readRun returns a run that has read the rows, and closes its workspace at the end of the test.
func readRun(t testing.TB, rows []dataset.Row, o Options) *run {
	t.Helper()
	w, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	r := newRun(w, context.Background(), time.Now())
	if err := r.readData(context.Background(), datasettest.Stream(rows)); err != nil {
		t.Fatal(err)
	}
	return r
}

// mustTrain trains a model.
func mustTrain(t testing.TB, rows []dataset.Row, o Options) *predict.Model {
	t.Helper()
	m, _, err := Run(context.Background(), datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// recorder is a function that is told what happens.
type recorder func(Event) error

func (f recorder) Record(e Event) error { return f(e) }
