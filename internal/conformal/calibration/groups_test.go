package calibration

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/conformal"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
)

// groupedRows returns rows of groups of eight, which have the same features and the same target. Targets do not depend
// on features.
func groupedRows(rng *rand.Rand, groups, of int) (rows []dataset.Row, names []string) {
	for g := range groups {
		one := dataset.Row{Target: rng.NormFloat64()}
		for j := range 6 {
			one.Index, one.Value = append(one.Index, int32(j)), append(one.Value, rng.NormFloat64())
		}
		for range of {
			rows, names = append(rows, one.Clone()), append(names, fmt.Sprint("g", g))
		}
	}
	return rows, names
}

// TestCoverageOfNewGroups: intervals have their coverage for new groups if folds keep groups together. Folds of rows know
// the group of every row that they hold out.
func TestCoverageOfNewGroups(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 71)
	rows, names := groupedRows(rng, 60, 8)
	fresh, _ := groupedRows(rng, 600, 1)
	const coverage = 0.8
	held := func(groups []string) float64 {
		o := bigmkl.Options{Task: bigmkl.TaskSVR, Kernels: "gauss:0.1", Scratch: t.TempDir(), FoldGroups: groups}
		m, _, err := Train(t.Context(), datasettest.Stream(rows), o, Options{Folds: 6})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		regions, err := conformal.New(&m.Model, coverage)
		if err != nil {
			t.Fatal(err)
		}
		within := 0
		err = m.Predict(t.Context(), datasettest.Stream(fresh), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
			if low, high := regions.Interval(&p); p.Target >= low && p.Target <= high {
				within++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return float64(within) / float64(len(fresh))
	}
	// With 60 groups the share has a standard error of 0.054, and with 600 new rows of 0.016.
	if alone, together := held(nil), held(names); alone > 0.5 || together < coverage-0.17 {
		t.Errorf("coverage %g with folds of rows, and %g with folds of groups", alone, together)
	}
}

// TestFaultyGroups: names for another number of rows and one group of all are errors of the input, and a split that would divide groups is
// one of the command line.
func TestFaultyGroups(t *testing.T) {
	t.Parallel()
	rows, names := groupedRows(datasettest.Random(t, 72), 10, 3)
	o := bigmkl.Options{Task: bigmkl.TaskSVR, Kernels: "linear", Scratch: t.TempDir(), FoldGroups: names[1:]}
	if _, _, err := Train(t.Context(), datasettest.Stream(rows), o, Options{Folds: 3}); !errors.Is(err, fail.Input) {
		t.Error(err)
	}
	if _, err := Plan(t.Context(), datasettest.Stream(rows), o, Options{Folds: 3}); !errors.Is(err, fail.Input) {
		t.Error(err)
	}
	o.FoldGroups = slices.Repeat([]string{"a"}, len(rows))
	if _, _, err := Train(t.Context(), datasettest.Stream(rows), o, Options{Folds: 3}); !errors.Is(err, fail.Input) {
		t.Error(err)
	}
	if err := (Options{Share: 0.2}).Validate(&o); !errors.Is(err, fail.Usage) {
		t.Error(err)
	}
}
