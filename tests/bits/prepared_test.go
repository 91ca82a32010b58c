package bits

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/verifytest"
)

// TestPreparedPredictions: calls of one prepared model at the same time, each of its own rows, give
// the predictions of Predict, to the bit, also after a call that has failed.
func TestPreparedPredictions(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 1)
	for name, o := range map[string]bigmkl.Options{
		"dense": {Kernels: "gauss:0.1,linear", Store: "dense"}, "sparse": {Kernels: "gauss:0.1,laplace:0.3", Store: "sparse"},
		"pairs": {Kernels: "gauss:0.1,poly:2", Multiclass: model.OneVsOne, Folds: 3},
	} {
		t.Run(name, func(t *testing.T) {
			rows := datasettest.Clusters(rng, 90, 6, 2+len(o.Multiclass), false)
			m, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows), o)
			if err != nil {
				t.Fatal(err)
			}
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
			var want []bigmkl.Prediction
			keep := func(to *[]bigmkl.Prediction) func(bigmkl.Prediction) error {
				return func(p bigmkl.Prediction) error {
					p.Decisions, p.Probabilities = slices.Clone(p.Decisions), slices.Clone(p.Probabilities)
					*to = append(*to, p)
					return nil
				}
			}
			po := bigmkl.PredictOptions{Threads: 3, Probability: o.Folds > 0}
			if err := m.Predict(context.Background(), datasettest.Stream(rows), po, keep(&want)); err != nil {
				t.Fatal(err)
			}
			p, err := m.Prepare(context.Background(), po)
			if err != nil {
				t.Fatal(err)
			}
			if p.Calls() != 3 {
				t.Fatalf("%d calls", p.Calls())
			}
			var group sync.WaitGroup
			for c := range 3 {
				group.Go(func() {
					for i := range 30 {
						from := (17*i + 5*c) % 80
						to := min(len(rows), from+1+i%12)
						bad := dataset.Row{Index: []int32{7}, Value: []float64{1}}
						if err := p.Predict(context.Background(), datasettest.Stream([]dataset.Row{rows[from], bad}), keep(new([]bigmkl.Prediction))); !errors.Is(err, fail.Input) {
							t.Errorf("a row of other features: %v", err)
						}
						var got []bigmkl.Prediction
						if err := p.Predict(context.Background(), datasettest.Stream(rows[from:to]), keep(&got)); err != nil {
							t.Error(err)
						}
						if !slices.EqualFunc(got, want[from:to], equal) {
							t.Errorf("rows %d to %d: %v, want %v", from, to, got, want[from:to])
						}
					}
				})
			}
			group.Wait()
			// A model that keeps its preparation gives the same predictions after any call.
			m.Keep()
			for _, ko := range []bigmkl.PredictOptions{po, po, {Threads: 1, Probability: po.Probability}, {Threads: 3}, {Threads: 3, Memory: 1 << 28}, po} {
				left := int64(0)
				if ko.Memory == 0 {
					ko.Left = func(bytes int64) { left = bytes }
				}
				var got []bigmkl.Prediction
				if err := m.Predict(context.Background(), datasettest.Stream(rows), ko, keep(&got)); err != nil {
					t.Fatal(err)
				}
				same := func(a, b bigmkl.Prediction) bool {
					if !ko.Probability {
						b.Probabilities = nil
					}
					return equal(a, b)
				}
				if !slices.EqualFunc(got, want, same) || ko.Left != nil && left == 0 {
					t.Errorf("%+v: %v, want %v, %d bytes are left", ko, got, want, left)
				}
			}
		})
	}
}

func equal(a, b bigmkl.Prediction) bool {
	return a.Label == b.Label && a.Decision == b.Decision && a.Known == b.Known && slices.Equal(a.Decisions, b.Decisions) &&
		slices.Equal(a.Probabilities, b.Probabilities)
}

// TestPreparedRowsTakeNoMemory: what a call allocates does not grow with its rows.
func TestPreparedRowsTakeNoMemory(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 2), 800, 6)
	m, _, err := bigmkl.Train(context.Background(), datasettest.Stream(rows[:100]), bigmkl.Options{Kernels: "gauss:0.1,linear"})
	if err != nil {
		t.Fatal(err)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows[:100]))
	p, err := m.Prepare(context.Background(), bigmkl.PredictOptions{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	allocations := func(n int) float64 {
		return testing.AllocsPerRun(20, func() {
			if err := p.Predict(context.Background(), datasettest.Stream(rows[:n]), func(bigmkl.Prediction) error { return nil }); err != nil {
				t.Fatal(err)
			}
		})
	}
	few, many := allocations(32), allocations(len(rows))
	t.Logf("%v allocations for 32 rows, %v for %d", few, many, len(rows))
	if more := (many - few) / float64(len(rows)-32); more > 0.1 {
		t.Errorf("%v allocations for 32 rows, %v for %d", few, many, len(rows))
	}
}

// TestPrecomputedIsNotPrepared: rows of precomputed kernels are the rows of a matrix, and no others.
func TestPrecomputedIsNotPrepared(t *testing.T) {
	t.Parallel()
	m := &bigmkl.Model{Model: model.Model{Kernels: []string{"precomputed:K.npy"}}}
	if _, err := m.Prepare(context.Background(), bigmkl.PredictOptions{}); !errors.Is(err, fail.Usage) {
		t.Error(err)
	}
}
