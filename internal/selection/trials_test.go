package selection

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
)

// trialOptions are of three classes in two views, of which the first determines the class.
func trialOptions() Options {
	return Options{
		Training: bigmkl.Options{
			Threads: 2, Gap: 1e-5, Seed: 5,
			Views: []dataset.View{{Name: "a", First: 1, Last: 3}, {Name: "b", First: 4, Last: 5}},
		},
		Banks: []string{"linear@a norm=centred,gauss:0.5@b"}, Norms: []float64{1}, Costs: []float64{1},
		Splits: Splits{Folds: 3, Repeat: 2}, Trials: Trials{Contrast: AgainstRest, Size: 90}, Measure: "auc",
	}
}

// trialRowsOf draws rows of three classes, or of sets of two labels.
func trialRowsOf(t *testing.T, n int, sets bool) []dataset.Row {
	t.Helper()
	rng := datasettest.Random(t, 77)
	rows := make([]dataset.Row, n)
	for i := range rows {
		class := rng.IntN(3)
		label := fmt.Sprint(class)
		if sets {
			label = []string{"-", "4", "4,9"}[class]
		}
		rows[i] = dataset.Row{Label: label, Target: math.NaN(), Index: []int32{0, 1, 2, 3, 4}}
		for j := range 5 {
			x := rng.NormFloat64()
			if j == class {
				x += 3
			}
			rows[i].Value = append(rows[i].Value, x)
		}
	}
	return rows
}

// TestTrialDraws: rows, classes, folds, copies and missing views are what was asked for.
func TestTrialDraws(t *testing.T) {
	rows := trialRowsOf(t, 200, false)
	for _, contrast := range []Contrast{AgainstRest, AgainstSample, Pairs} {
		o := trialOptions()
		o.Trials.Contrast, o.Trials.Noise, o.Trials.NoiseView = contrast, 2, "b"
		o.Trials.Missing, o.Trials.MissingView = []float64{0.4}, "a"
		d, err := readTrials(t.Context(), datasettest.Stream(rows), &o)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.problems) != 3 || len(d.views) != 4 || d.views[3].Name != "b~2" || d.views[3].First != 8 {
			t.Fatalf("%d problems, views %v", len(d.problems), d.views)
		}
		// The copies have the rows of the view in another order, the same for both of its features.
		for c := range 2 {
			moved, lists := 0, [2][]float64{}
			for i, r := range d.rows {
				x := r.Value[5+2*c]
				if lists[0], lists[1] = append(lists[0], rows[i].Value[3]), append(lists[1], x); x != rows[i].Value[3] {
					moved++
				}
				from := slices.IndexFunc(rows, func(o dataset.Row) bool { return o.Value[3] == x })
				if rows[from].Value[4] != r.Value[6+2*c] {
					t.Fatalf("row %d of a copy has features of two rows", i+1)
				}
			}
			if slices.Sort(lists[0]); moved < 190 || !slices.Equal(lists[0], slices.Sorted(slices.Values(lists[1]))) {
				t.Errorf("%d rows of 200 have moved", moved)
			}
		}
		for _, p := range d.problems {
			first, second, _ := strings.Cut(p.name, "/")
			if slices.Equal(p.parts[0].rows, p.parts[1].rows) {
				t.Errorf("%s: the repetitions have the same rows", p.name)
			}
			for r := range p.parts {
				one := &p.parts[r]
				positive := 0
				for at, i := range one.rows {
					label := rows[i].Label
					if one.positive[at] != (label == first) || contrast == Pairs && label != first && label != second {
						t.Errorf("%s: row %d of class %s", p.name, i+1, label)
					}
					if one.positive[at] {
						positive++
					}
				}
				switch n := len(one.rows); {
				case contrast == AgainstRest && n != 90, contrast == AgainstSample && n != 2*positive, contrast == Pairs && (n <= positive || n > 90):
					t.Errorf("%s: %d rows, %d of them positive", p.name, n, positive)
				}
				seen := map[int32]int{}
				for k, f := range one.folds {
					sides := 0
					for _, at := range f.rows {
						seen[at]++
						if one.positive[at] {
							sides++
						}
					}
					if math.Abs(float64(sides)-float64(positive)/3) > 1 {
						t.Errorf("%s: fold %d has %d of %d rows of the class", p.name, k+1, sides, positive)
					}
					lacks, test := [2]int{}, map[int]bool{}
					for _, at := range f.rows {
						test[int(at)] = true
					}
					src := d.source(d.at[f.Name], 0.4)
					for at := range one.rows {
						row, err := src.Next()
						if err != nil {
							t.Fatal(err)
						}
						if row.Index[0] != 0 {
							side := 0
							if test[at] {
								side = 1
							}
							lacks[side]++
						}
					}
					rest := len(one.rows) - len(f.rows)
					if want := [2]int{int(math.Round(0.4 * float64(rest))), int(math.Round(0.4 * float64(len(f.rows))))}; lacks != want {
						t.Errorf("%s: %v rows lack the view, want %v", p.name, lacks, want)
					}
				}
				if len(seen) != len(one.rows) {
					t.Errorf("%s: folds have %d of %d rows", p.name, len(seen), len(one.rows))
				}
			}
		}
	}
}

// TestTrials: each trial has the figures of a training on its rows, and the problems of the classes
// are separated by the view that determines them.
func TestTrials(t *testing.T) {
	for name, sets := range map[string]bool{"classes": false, "labels": true} {
		rows := trialRowsOf(t, 200, sets)
		o := trialOptions()
		if sets {
			o.Training.Multiclass = bigmkl.MultiLabel
		}
		s, _, err := selectRows(t, t.Context(), rows, o)
		if err != nil {
			t.Fatal(name, err)
		}
		problems := 3
		if sets {
			problems = 2
		}
		if len(s.Problems) != problems || s.Best != -1 || !s.Compares || len(s.Folds) != 6*problems {
			t.Fatalf("%s: %d problems, best %d, %d folds", name, len(s.Problems), s.Best, len(s.Folds))
		}
		for k, c := range s.Cells {
			for _, key := range []string{"auc", "accuracy", sensitivity, specificity} {
				if f := c.Figures[key]; f.Folds != len(s.Folds) {
					t.Errorf("%s: cell %d has %s of %d folds", name, k, key, f.Folds)
				}
			}
		}
		// The first view separates the classes, the second one of them at most.
		at := slices.IndexFunc(s.Arms, func(a Arm) bool { return a.Kind == Single && strings.Contains(a.Kernels, "@a") })
		if f := s.Cells[at].Figures["auc"]; f.Mean < 0.85 {
			t.Errorf("%s: %v by the view that knows the classes", name, f)
		}
		other := slices.IndexFunc(s.Arms, func(a Arm) bool { return a.Kind == Single && strings.Contains(a.Kernels, "@b") })
		found := map[[2]int]float64{}
		for _, p := range s.Pairs {
			found[[2]int{p.First, p.Second}] = p.P
		}
		if p, q := found[[2]int{at, other}], found[[2]int{other, at}]; !(p < 0.01 && q > 0.99) {
			t.Errorf("%s: p-values %v and %v", name, p, q)
		}
	}
}

// TestTrialsResume: a selection that is stopped, one in parts and one of another number of threads find the
// same, to the bit.
func TestTrialsResume(t *testing.T) {
	testlevel.Sample(t, 2, 1)
	rows := trialRowsOf(t, 150, false)
	o := trialOptions()
	o.Trials = Trials{Contrast: Pairs, Size: 100, Missing: []float64{0, 0.3}, MissingView: "a", Noise: 1, NoiseView: "b"}
	o.Banks = []string{"linear@a norm=centred missing=self,gauss:0.5@b", "linear@a missing=none,linear@b"}
	o.Costs = []float64{0.1, 1}
	_, want, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	stopped := o
	stopped.Folder, stopped.Resume = t.TempDir(), true
	for ends, n := 1, 0; ; ends++ {
		ctx, cancel := context.WithCancel(t.Context())
		n = 0
		stopped.Report = func(Progress) {
			if n++; n == 40*ends {
				cancel()
			}
		}
		stopped.Training.Threads = 1 + ends%2
		_, got, err := selectRows(t, ctx, rows, stopped)
		cancel()
		if errors.Is(err, context.Canceled) {
			continue
		}
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("after %d stops: %v, and other figures", ends, err)
		}
		break
	}
	parts := o
	parts.Folder = t.TempDir()
	for k := range 3 {
		parts.Part, parts.Parts = k+1, 3
		_, got, err := selectRows(t, t.Context(), rows, parts)
		if err != nil || k == 2 && !bytes.Equal(got, want) {
			t.Errorf("part %d: %v, or other figures", k+1, err)
		}
	}
	// Another seed or other rows are another selection.
	other := stopped
	other.Training.Seed = 9
	if _, _, err := selectRows(t, t.Context(), rows, other); !errors.Is(err, fail.Usage) {
		t.Errorf("another seed: %v", err)
	}
	rows[149].Value[0]++
	if _, _, err := selectRows(t, t.Context(), rows, stopped); !errors.Is(err, fail.Usage) {
		t.Errorf("other rows: %v", err)
	}
	if err := os.WriteFile(filepath.Join(stopped.Folder, chainsFolder, "0000-0_2f1_3a1.1.json"), []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	rows[149].Value[0]--
	if _, _, err := selectRows(t, t.Context(), rows, stopped); !errors.Is(err, fail.Corrupt) {
		t.Errorf("a damaged chain: %v", err)
	}
}

// TestTrialFaults: trials that make no sense, by themselves, beside other options, and of the rows.
func TestTrialFaults(t *testing.T) {
	rows := trialRowsOf(t, 120, false)
	for name, c := range map[string]struct {
		change func(*Options)
		class  error
	}{
		"an unknown contrast":       {func(o *Options) { o.Trials.Contrast = "odd" }, fail.Usage},
		"a contrast of classifiers": {func(o *Options) { o.Training.Multiclass = "ovr" }, fail.Usage},
		"pairs of labels":           {func(o *Options) { o.Trials.Contrast, o.Training.Multiclass = Pairs, bigmkl.MultiLabel }, fail.Usage},
		"targets":                   {func(o *Options) { o.Training.Task, o.Measure = "svr", "rmse" }, fail.Usage},
		"nested":                    {func(o *Options) { o.Nested = true }, fail.Usage},
		"a tuning":                  {func(o *Options) { o.Tune = TuneWeights }, fail.Usage},
		"random splits":             {func(o *Options) { o.Splits = Splits{Random: 3, Share: 0.2} }, fail.Usage},
		"given folds":               {func(o *Options) { o.Splits = Splits{Given: []string{"a", "b"}} }, fail.Usage},
		"least without contrast":    {func(o *Options) { o.Trials = Trials{Least: 3} }, fail.Usage},
		"a share of 1":              {func(o *Options) { o.Trials.Missing, o.Trials.MissingView = []float64{1}, "a" }, fail.Usage},
		"no kernel that fills in":   {func(o *Options) { o.Trials.Missing, o.Trials.MissingView = []float64{0.1}, "a" }, fail.Usage},
		"an unknown view":           {func(o *Options) { o.Trials.Noise, o.Trials.NoiseView = 1, "c" }, fail.Usage},
		"more rows than there are":  {func(o *Options) { o.Trials.Size = 121 }, fail.Input},
		"too few of each class":     {func(o *Options) { o.Trials.Least = 100 }, fail.Input},
		"more folds than rows":      {func(o *Options) { o.Splits.Folds = 80; o.Trials.Size = 70 }, fail.Input},
		"no memory for the rows":    {func(o *Options) { o.Training.Memory = 1 << 10 }, fail.Budget},
	} {
		o := trialOptions()
		c.change(&o)
		if _, _, err := selectRows(t, t.Context(), rows, o); !errors.Is(err, c.class) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
