package selection

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/testlevel"
)

// noise are rows whose labels are random, of fold a and b in turn.
func noise(t *testing.T, n int) (rows []dataset.Row, folds []string) {
	rng := datasettest.Random(t, 91)
	for i := range n {
		r := dataset.Row{Label: fmt.Sprint(rng.IntN(2)), Target: rng.NormFloat64()}
		for j := range 4 {
			r.Index, r.Value = append(r.Index, int32(j)), append(r.Value, rng.NormFloat64())
		}
		rows, folds = append(rows, r), append(folds, []string{"a", "b", "c"}[i/2%3])
	}
	return rows, folds
}

// TestNothingIsSeen: whatever the rows of a fold are, a training without them is the same to the byte:
// their values move scalings, medians, normalisers, regions, means of missing views, and the set of features, by a factor of a
// million. With shared preparation the trainings differ, so the test can detect it.
func TestNothingIsSeen(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"scaling":       func(o *Options) { o.Training.Scale, o.Training.Kernels = "standard", "gauss:0.5,linear" },
		"minmax":        func(o *Options) { o.Training.Scale, o.Training.Kernels = "minmax", "gauss:0.5" },
		"widths":        func(o *Options) { o.Training.Kernels, o.Training.Normalize = "gauss:auto/3", "none" },
		"singles":       func(o *Options) { o.Training.Kernels, o.NoBaselines = "gauss:auto/2@each-view", false },
		"normalisation": func(o *Options) { o.Training.Kernels = "gauss:0.1,poly:2" },
		"centring": func(o *Options) {
			o.Training.Kernels, o.Training.Normalize = "linear norm=centred,gauss:0.1 norm=centred", "none"
		},
		"regions": func(o *Options) {
			o.Training.Kernels, o.Training.Gating, o.Training.Normalize = "linear,gauss:0.1", "regions:2", "none"
		},
		"ovr": func(o *Options) { o.Training.Scale, o.Training.Multiclass = "standard", "ovr" },
		"svr": func(o *Options) { o.Training.Scale, o.Training.Task = "standard", "svr" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testlevel.Sample(t, 3, 2)
			rows, folds := noise(t, 36)
			trained := func(scale float64, shared bool) string {
				o := Options{
					Training: bigmkl.Options{Kernels: "gauss:0.5", Threads: 1, Views: []dataset.View{{Name: "x", First: 1, Last: 2}, {Name: "y", First: 3, Last: 6}}},
					Norms:    []float64{1}, Costs: []float64{1, 10}, NoBaselines: true,
					Splits: Splits{Given: folds}, Folder: t.TempDir(), SharedPreparation: shared,
				}
				change(&o)
				var list []dataset.Row
				for i, r := range rows {
					if folds[i] == "b" && scale != 1 {
						v := []float64{}
						for _, x := range r.Value {
							v = append(v, x*scale)
						}
						r.Index, r.Value = []int32{0, 1, 2, 3, 4}, append(v, scale) // a feature of their own, too
					}
					list = append(list, r)
				}
				s, _, err := selectRows(t, t.Context(), list, o)
				if err != nil {
					t.Fatal(err)
				}
				text := ""
				for k := range s.Arms { // The figures on the rows of b may differ: these do.
					b, err := os.ReadFile(filepath.Join(o.Folder, chainsFolder, fmt.Sprintf("%04d-b.json", k)))
					if err != nil {
						t.Fatal(err)
					}
					for _, line := range strings.Split(string(b), "\n") {
						if strings.Contains(line, `"gap"`) || strings.Contains(line, `"iterations"`) {
							text += line
						}
					}
				}
				return text
			}
			want := trained(1, false)
			if strings.Count(want, "gap") < 2 {
				t.Fatalf("no gaps in %s", want)
			}
			if got := trained(1e6, false); got != want {
				t.Errorf("the rows left out move the training:\n%s\n%s", want, got)
			}
			if got := trained(1e6, true); got == trained(1, true) {
				t.Error("shared preparation does not move it either: the test sees nothing")
			}
		})
	}
}

// TestPlainLoopOfPreparation compares figures with a loop of trainings on the files without a fold and predictions of
// it, where all that is prepared depends on the rows.
func TestPlainLoopOfPreparation(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 92)
	rows := datasettest.Clouds(rng, 75, 3)
	o := Options{
		Training: bigmkl.Options{Kernels: "gauss:auto/3,linear", Scale: "standard", Gap: 1e-7, Threads: 1},
		Norms:    []float64{4. / 3}, Costs: []float64{1, 10}, NoBaselines: true, Measure: "auc", Nested: true,
	}
	for i := range rows {
		rows[i].Weight = 0.5 + float64(i%3)
		for k := range rows[i].Value {
			rows[i].Value[k] *= math.Exp(rng.NormFloat64()) // heavy tails
		}
		o.Splits.Given = append(o.Splits.Given, fmt.Sprint(i/2%3))
	}
	s, _, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if s.Preparation != PreparedApart || s.Nested == nil {
		t.Errorf("preparation %q, nested %v", s.Preparation, s.Nested)
	}
	for _, cell := range s.Cells {
		for k, fold := range s.Folds {
			var in, out []dataset.Row
			for i, r := range rows {
				if o.Splits.Given[i] == fold {
					out = append(out, r)
				} else {
					in = append(in, r)
				}
			}
			training := o.Training
			training.Norm, training.C = float64(s.Arms[cell.Arm].Norm), cell.Cost
			m, _, err := bigmkl.Train(t.Context(), datasettest.Stream(in), training)
			if err != nil {
				t.Fatal(err)
			}
			of := score.New(&m.Model)
			if err := m.Predict(t.Context(), datasettest.Stream(out), bigmkl.PredictOptions{}, func(p bigmkl.Prediction) error {
				of.Add(p)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			for _, f := range of.Evaluation().Figures {
				if f.Key == "auc" && !(math.Abs(f.Value-cell.Values[k]) <= 2e-3) {
					t.Errorf("C = %g, fold %s: %v, in a plain loop %v", cell.Cost, fold, cell.Values[k], f.Value)
				}
			}
		}
	}
}

// TestOneClassIsLeft: where the other rows are of one class there is nothing to train, and the fold is
// given that class.
func TestOneClassIsLeft(t *testing.T) {
	t.Parallel()
	rows, folds := noise(t, 24)
	for i := range rows {
		rows[i].Label = map[bool]string{true: "1", false: "0"}[folds[i] == "a"]
	}
	o := Options{Training: bigmkl.Options{Kernels: "linear", Scale: "standard", Threads: 1}, Norms: []float64{2}, Costs: []float64{1}, Splits: Splits{Given: folds}}
	s, _, err := selectRows(t, t.Context(), rows, o)
	if err != nil || s.Cells[0].Values[0] != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}
