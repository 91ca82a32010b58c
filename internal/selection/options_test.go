package selection

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
)

// TestFigureOfTheTask: a figure that the task does not have is rejected before anything is read, with those that it has.
func TestFigureOfTheTask(t *testing.T) {
	for _, c := range []struct {
		task, multiclass string
		good, bad        []string
	}{
		{"", "", []string{"accuracy", "auc", "average_precision", "mcc"}, []string{"f1", "macro_f1", "rmse", "subset_accuracy", "log_loss", "x"}},
		{"class", "ovr", []string{"accuracy", "macro_f1", "mcc", "macro_auc"}, []string{"auc", "r2", "hamming_loss"}},
		{"class", "ovo", []string{"accuracy", "macro_f1"}, []string{"macro_auc", "auc"}},
		{"class", "labels", []string{"subset_accuracy", "hamming_loss", "micro_f1", "macro_f1", "macro_auc"}, []string{"accuracy", "mcc"}},
		{"svr", "", []string{"rmse", "mae", "r2"}, []string{"accuracy", "auc"}},
		{"survival", "", []string{"c_index", "uno_c"}, []string{"rmse", "auc"}},
		{"square", "", []string{"rmse"}, []string{"auc"}},
	} {
		o := Options{Training: bigmkl.Options{Task: c.task, Multiclass: c.multiclass}, Folder: "x"}
		for _, o.Measure = range append(c.good, "") {
			if err := o.Validate(); err != nil {
				t.Errorf("%s %s by %q: %v", c.task, c.multiclass, o.Measure, err)
			}
		}
		for _, o.Measure = range c.bad {
			if err := o.Validate(); !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), strings.Join(c.good, ", ")) {
				t.Errorf("%s %s by %q: %v", c.task, c.multiclass, o.Measure, err)
			}
		}
	}
}

// TestNestedNeedsThreeFolds: without two of two folds no row is left to train on.
func TestNestedNeedsThreeFolds(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 11), 30, 2)
	given := make([]string, len(rows))
	for i := range given {
		given[i] = []string{"a", "b"}[i%2]
	}
	for _, splits := range []Splits{{Folds: 2}, {Given: given}} {
		o := small()
		o.Nested, o.Splits = true, splits
		if _, _, err := selectRows(t, t.Context(), rows, o); !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), "3 folds") {
			t.Errorf("%v", err)
		}
	}
}

// TestNestedWithoutFigures: where no choice can be made without a fold, there is no estimate, which is not one of 0.
func TestNestedWithoutFigures(t *testing.T) {
	folds := [][]fold{{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	s := &Selection{Measure: "mcc", Arms: []Arm{{Kind: Grid}}, Cells: []Cell{{Cost: 1}}}
	chains := func(defined bool) func(int, string, string) *chain {
		return func(_ int, _, other string) *chain {
			figures := map[string]float64{}
			if defined || other == "" {
				figures["mcc"] = 0.5
			}
			return &chain{Cells: []cell{{Figures: []map[string]float64{figures, figures}}}}
		}
	}
	if f := s.estimateNested(folds, []float64{1}, chains(true)); f == nil || *f != (Figure{Mean: 0.5, Folds: 3}) {
		t.Errorf("%v", f)
	}
	if f := s.estimateNested(folds, []float64{1}, chains(false)); f != nil {
		t.Errorf("%v without a figure", *f)
	}
}

// TestAskedTwice: what is asked for twice is trained once.
func TestAskedTwice(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 12), 30, 2)
	o := small()
	o.Training.Kernels, o.NoBaselines = "", true
	o.Banks, o.Norms, o.Costs = []string{"linear", "gauss:1", "linear"}, []float64{2, 1, 2}, []float64{1, 1}
	s, _, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Arms) != 4 || len(s.Cells) != 4 {
		t.Errorf("%d arms, %d cells", len(s.Arms), len(s.Cells))
	}
}

// TestPartsSideBySide: of two parts in a folder at the same time the one that ends last finds the other complete.
func TestPartsSideBySide(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 13), 40, 2)
	o := small()
	_, table, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Folder, o.Parts, o.Part = t.TempDir(), 2, 1
	beside := o
	beside.Part = 2
	o.Report = func(p Progress) {
		if p.Done > 1 {
			return
		}
		if s, _, err := selectRows(t, t.Context(), rows, beside); err != nil || s.Missing == 0 {
			t.Errorf("%+v, %v", s, err)
		}
	}
	if s, got, err := selectRows(t, t.Context(), rows, o); err != nil || string(got) != string(table) {
		t.Errorf("%d chains are missing, %v", s.Missing, err)
	}
}

// TestUntried: a list of more than MostSingles kernels, of which none is tried alone, is named with what is tried. Lists whose kernels
// are tried alone have nothing to name.
func TestUntried(t *testing.T) {
	t.Parallel()
	o := Options{Training: bigmkl.Options{}, Banks: []string{"list"}}
	o.setDefaults()
	names := func(n int, views ...string) (list []string) {
		for k := range n {
			list = append(list, fmt.Sprintf("gauss:%d@%s", k+1, views[k%len(views)]))
		}
		return list
	}
	for _, c := range []struct {
		kernels []string
		want    string
	}{
		{names(500, "a", "b"), "500 kernels are tried together, each of 2 views is tried alone, and no kernel alone: at most 64 are"},
		{names(MostSingles+1, "a"), "65 kernels are tried together, no view is tried alone, and no kernel alone: at most 64 are"},
		{names(MostSingles, "a", "b"), ""},
	} {
		arms := o.armsOf(0, c.kernels)
		singles := slices.ContainsFunc(arms, func(a Arm) bool { return a.Kind == Single })
		if got := describeUntried(arms, c.kernels); got != c.want || singles != (len(c.kernels) <= MostSingles) {
			t.Errorf("%q, want %q; kernels alone: %v", got, c.want, singles)
		}
	}
}
