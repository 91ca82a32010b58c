package resume

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/tests/bigmkltest"
)

// A model has the same bits with and without sigmoids, except for the sigmoids.
func TestFoldsChangeNothingElse(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 3)
	for name, c := range map[string]struct {
		o    bigmkl.Options
		rows []dataset.Row
	}{
		"two classes": {bigmkl.Options{}, datasettest.Clouds(rng, 160, 6)},
		"ovr":         {bigmkl.Options{Multiclass: bigmkl.OneVsRest}, datasettest.Clusters(rng, 120, 5, 3, false)},
		"ovr, small":  {bigmkl.Options{Multiclass: bigmkl.OneVsRest, Gap: 1e-5}, datasettest.Clusters(rng, 100, 5, 3, false)},
		"ovo":         {bigmkl.Options{Multiclass: bigmkl.OneVsOne}, datasettest.Clusters(rng, 120, 5, 3, false)},
		"labels":      {bigmkl.Options{Multiclass: bigmkl.MultiLabel}, datasettest.Clusters(rng, 100, 5, 4, true)},
	} {
		o := c.o
		o.Kernels = "gauss:auto/3,linear"
		plain, _ := bigmkltest.Converge(t, datasettest.Stream(c.rows), o)
		o.Folds = 3
		for _, o.SharedPreparation = range []bool{true, false} {
			m, r := bigmkltest.Converge(t, datasettest.Stream(c.rows), o)
			if len(m.Sigmoids) != max(1, len(m.Classifiers)) || m.Folds != 3 || m.FoldsApart == o.SharedPreparation || r.Folding.Trainings != 3*len(m.Sigmoids) {
				t.Errorf("%s: %d sigmoids, %d folds, apart %t, %+v", name, len(m.Sigmoids), m.Folds, m.FoldsApart, r.Folding)
			}
			for _, s := range m.Sigmoids {
				if !s.Valid() || s.A == 0 {
					t.Errorf("%s: sigmoid %v", name, s)
				}
			}
			m.Sigmoids, m.Folds, m.FoldsApart = nil, 0, false
			if !slices.Equal(bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, plain)) {
				t.Errorf("%s: other bits with probabilities", name)
			}
		}
	}
}

// stopping ends a run in the middle of a fold.
type stopping struct {
	cancel func()
	fold   int
	seen   []int
}

func (s *stopping) Record(e bigmkl.Event) error {
	if !slices.Contains(s.seen, e.Fold) {
		s.seen = append(s.seen, e.Fold)
	}
	if e.Fold == s.fold {
		s.cancel()
	}
	return nil
}

// A run that is interrupted in its folds writes the model without.
func TestFoldsInterrupted(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 8), 200, 6)
	o := bigmkl.Options{Kernels: "gauss:auto/4", Tuning: chunking.Tuning{WorkingSet: 16}}
	plain, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	for _, fold := range []int{0, 2} {
		ctx, cancel := context.WithCancel(context.Background())
		s := &stopping{cancel: cancel, fold: fold}
		o.Folds, o.Recorder, o.Scratch = 4, s, t.TempDir()
		m, r, err := bigmkl.Train(ctx, datasettest.Stream(rows), o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != chunking.Interrupted || m.Sigmoids != nil || m.Folds != 0 || !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, "the model gives no probabilities") }) {
			t.Errorf("fold %d: %s, %v, %q", fold, r.Status, m.Sigmoids, r.Warnings)
		}
		if fold > 0 && (!slices.Equal(bigmkltest.Encoded(t, m), bigmkltest.Encoded(t, plain)) || !slices.Equal(s.seen, []int{0, 1, 2})) {
			t.Errorf("fold %d: other bits than without, or folds %v", fold, s.seen)
		}
		err = m.Predict(ctx, datasettest.Stream(rows), bigmkl.PredictOptions{Probability: true}, func(bigmkl.Prediction) error { return nil })
		if !errors.Is(err, fail.Usage) {
			t.Errorf("probabilities of a model without: %v", err)
		}
	}
	// A limit of iterations holds for each training, and depends on no clock.
	o.Recorder, o.MaxIterations = nil, 1
	m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
	if m.Sigmoids == nil || r.Status != chunking.IterationLimit || !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "4 trainings without a fold ended above") }) {
		t.Errorf("%v, %s, %q", m.Sigmoids, r.Status, r.Warnings)
	}
}

func TestFoldsRefused(t *testing.T) {
	t.Parallel()
	for _, o := range []bigmkl.Options{
		{Folds: 1}, {Folds: -2}, {Folds: 3, Task: bigmkl.TaskSVR}, {Folds: 3, Task: bigmkl.TaskSquare}, {Folds: 3, Task: bigmkl.TaskOneClass}, {Folds: 3, Checkpoint: "c"},
		{Folds: 3, Multiclass: bigmkl.OneVsRest, OneTheta: true, Norm: 1}, {Folds: math.MaxInt32 + 1},
	} {
		if err := o.Validate(); !errors.Is(err, fail.Usage) || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%+v: %v", o, err)
		}
	}
	err := bigmkl.Path(t.Context(), datasettest.Stream(nil), bigmkl.Options{Folds: 3}, []bigmkl.PathPoint{{Norm: 1, C: 1}}, func(bigmkl.PathPoint, *bigmkl.Model, *bigmkl.Result) error { return nil })
	if !errors.Is(err, fail.Usage) {
		t.Errorf("a path: %v", err)
	}
}
