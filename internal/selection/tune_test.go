package selection

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/surface"
	"bigmkl/internal/verifytest"
)

// tuning is a selection of one cell that is tuned.
func tuning(kind TuneKind) Options {
	o := Options{
		Training: bigmkl.Options{Kernels: "gauss:0.1,linear@1,linear@2-3", Norm: 1, Gap: 1e-4, Threads: 2},
		Costs:    []float64{1}, Splits: Splits{Folds: 3}, NoBaselines: true, Tune: kind,
	}
	if kind == TuneWeights {
		o.Training.Norm = 2
	}
	return o
}

// tunedRows are the rows of these tests.
func tunedRows(t *testing.T) []dataset.Row {
	return datasettest.Clouds(datasettest.Random(t, 262010), 120, 3)
}

// TestTuneByPlainLoop compares the figures of every point of a tuning with those of trainings on the
// other rows with costs or fixed weights of the kernels, and predictions of the fold.
func TestTuneByPlainLoop(t *testing.T) {
	for _, kind := range TuneKinds {
		t.Run(string(kind), func(t *testing.T) {
			rows, o := tunedRows(t), tuning(kind)
			// Scaling and width come from the rows of each training, whose tails are heavy.
			o.Training.Normalize, o.Training.Scale, o.Training.Kernels, o.Measure = "none", "standard", "gauss:auto,linear@1,linear@2-3", "auc"
			rng := datasettest.Random(t, 262011)
			for i := range rows {
				for k := range rows[i].Value {
					rows[i].Value[k] *= math.Exp(rng.NormFloat64())
				}
				o.Splits.Given = append(o.Splits.Given, fmt.Sprint(i/3%3))
			}
			o.Splits.Folds = 0
			s, _, err := selectRows(t, t.Context(), rows, o)
			if err != nil {
				t.Fatal(err)
			}
			if s.Preparation != PreparedApart {
				t.Errorf("preparation %q", s.Preparation)
			}
			found := s.Tuning
			if found.Design != 6 || len(found.Points) < 6 || len(found.Points) > 20 {
				t.Fatalf("%d points after a design of %d", len(found.Points), found.Design)
			}
			for k, p := range found.Points {
				for j, fold := range s.Folds {
					in, out := split(rows, o.Splits.Given, fold)
					training := o.Training
					training.C = 1
					if kind == TuneCosts {
						training.Kernels = fmt.Sprintf("gauss:auto,linear@1 cost=%v,linear@2-3 cost=%v", p.Factors[1], p.Factors[2])
					} else {
						training.Norm, training.Regularizer.Weights = 0, p.Factors
					}
					m, _, err := bigmkl.Train(t.Context(), datasettest.Stream(in), training)
					if err != nil {
						t.Fatal(err)
					}
					verifytest.MustVerify(t, &m.Model, datasettest.Stream(in))
					known, err := score.Of(t.Context(), m, datasettest.Stream(out), bigmkl.PredictOptions{})
					if err != nil {
						t.Fatal(err)
					}
					figures := known.Evaluation().Figures
					want := figures[slices.IndexFunc(figures, func(f score.Figure) bool { return f.Key == "auc" })].Value
					if math.Abs(p.Values[j]-want) > 2e-3 {
						t.Errorf("point %d, fold %s: %g, in a plain loop %g", k+1, fold, p.Values[j], want)
					}
				}
			}
			// The search over the figures asks for these very points.
			var points [][]float64
			var values []float64
			for _, p := range found.Points {
				x := surface.Default.Next(2, points, values)
				for f, v := range x {
					if math.Abs(math.Pow(10, v)-p.Factors[f+1]) > 1e-12 {
						t.Fatalf("point %d is %v, the search asks for 10^%v", len(points)+1, p.Factors, x)
					}
				}
				points, values = append(points, x), append(values, -p.Figure.Mean)
			}
			if x := surface.Default.Next(2, points, values); x != nil {
				t.Errorf("the tuning has ended, and the search asks for %v", x)
			}
			if found.Best != surface.Best(values) {
				t.Errorf("point %d is trained, point %d is the best", found.Best, surface.Best(values))
			}
		})
	}
}

// split returns the rows outside of a fold and those in it.
func split(rows []dataset.Row, folds []string, fold string) (in, out []dataset.Row) {
	for i, r := range rows {
		if folds[i] == fold {
			out = append(out, r)
		} else {
			in = append(in, r)
		}
	}
	return in, out
}

// TestTuneGoesOn: a tuning that is stopped after any of its trainings ends with the bytes of one that
// was not, whatever the threads, and one on a part of the rows does so too.
func TestTuneGoesOn(t *testing.T) {
	rows := tunedRows(t)
	for _, part := range []int{0, 60} {
		o := tuning(TuneCosts)
		o.TuneRows = part
		_, want, err := selectRows(t, t.Context(), rows, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Folder, o.Resume, o.Training.Threads = t.TempDir(), true, 1
		stops := 0
		for stop := 1; ; stop += 7 {
			ctx, cancel := context.WithCancel(t.Context())
			done := 0
			o.Report = func(Progress) {
				if done++; done == stop {
					cancel()
				}
			}
			_, got, err := selectRows(t, ctx, rows, o)
			cancel()
			if err == nil {
				if string(got) != string(want) {
					t.Errorf("%d rows: stopped %d times it finds something else", part, stops)
				}
				break
			}
			if err != context.Canceled {
				t.Fatal(err)
			}
			stops++
		}
		if stops < 3 {
			t.Errorf("it was stopped %d times", stops)
		}
	}
}

// TestTuneStartsNear: trainings that start from the nearest point take fewer iterations than the same
// trainings from zeros.
func TestTuneStartsNear(t *testing.T) {
	rows, o := tunedRows(t), tuning(TuneCosts)
	o.Training.Norm, o.Folder = 4.0/3, t.TempDir()
	for i := range rows {
		o.Splits.Given = append(o.Splits.Given, fmt.Sprint(i/3%3))
	}
	o.Splits.Folds = 0
	s, _, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	h, err := bigmkl.OpenTuning(t.Context(), datasettest.Stream(rows), o.Training)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	near, cold := 0, 0
	for _, p := range s.Tuning.Points {
		importance := make([]float64, len(p.Factors))
		for m, d := range p.Factors {
			importance[m] = 1 / (d * d)
		}
		h.Tune(importance)
		near += p.Iterations
		for _, fold := range s.Folds {
			var out []int32
			for i, name := range o.Splits.Given {
				if name == fold {
					out = append(out, int32(i))
				}
			}
			held, err := h.Train(t.Context(), out, bigmkl.PathPoint{Norm: 4.0 / 3, C: 1}, nil)
			if err != nil {
				t.Fatal(err)
			}
			cold += held.Iterations
		}
	}
	t.Logf("%d iterations, %d from zeros", near, cold)
	if near >= cold {
		t.Errorf("%d iterations, %d from zeros", near, cold)
	}
}

// TestTuneOfGroups: groups are the factors, and the model has none of them.
func TestTuneOfGroups(t *testing.T) {
	rows, o := tunedRows(t), tuning(TuneCosts)
	o.Training.Kernels = "gauss:0.1..1/3 group=a,linear@1 prior=2,linear@2-3 group=a,poly:2"
	s, _, err := selectRows(t, t.Context(), rows, o)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "linear@1", "poly:2"}; !slices.Equal(s.Tuning.Factors, want) {
		t.Errorf("the factors %q, want %q", s.Tuning.Factors, want)
	}
	training := o.Training
	training.Kernels, training.C = s.Tuning.Kernels, 1
	m, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), training)
	if err != nil {
		t.Fatal(err)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	best := s.Tuning.Points[s.Tuning.Best].Factors
	sum := 0.0
	for k, f := range []int{0, 0, 0, 1, 0, 2} {
		prior := 1.0
		if f == 1 {
			prior = 2
		}
		sum += best[f] * best[f] * m.Theta[k] / prior
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("sum d_m^2 theta_m / prior_m = %g", sum)
	}
}

// TestTuneOfDamagedFolder: a digit that changed in a file of a tuning, or a file of another point, is
// found.
func TestTuneOfDamagedFolder(t *testing.T) {
	rows, o := tunedRows(t), tuning(TuneWeights)
	o.Folder, o.Resume = t.TempDir(), true
	if _, _, err := selectRows(t, t.Context(), rows, o); err != nil {
		t.Fatal(err)
	}
	path := func(point int) string {
		return filepath.Join(o.Folder, tuningFolder, fmt.Sprintf("%04d-1.1.json", point))
	}
	whole, err := os.ReadFile(path(3))
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(path(2))
	if err != nil {
		t.Fatal(err)
	}
	changed := slices.Clone(whole)
	at := slices.Index(changed, '.') + 1
	changed[at] = '0' + (changed[at]-'0'+1)%10
	for name, b := range map[string][]byte{"a digit": changed, "another point": other, "nothing": nil} {
		if err := os.WriteFile(path(3), b, 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := selectRows(t, t.Context(), rows, o); err == nil {
			t.Errorf("%s: no fault is found", name)
		}
	}
}
