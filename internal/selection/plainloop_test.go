package selection

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/testlevel"
)

// TestPlainLoopOfTasks compares the figures of a selection with those of trainings on the other rows and predictions of the
// fold, for every task and kind of classifiers, with rows of several weights.
func TestPlainLoopOfTasks(t *testing.T) {
	for _, c := range []struct {
		name, task, multiclass, measure string
		near                            float64 // how far figures may be apart
	}{
		{"weights", "", "", "auc", 2e-3}, {"svr", "svr", "", "rmse", 1e-4}, {"square", "square", "", "r2", 1e-4}, {"quantile", "quantile", "", "pinball", 1e-4}, {"expectile", "expectile", "", "expectile_loss", 1e-4},
		{"odds", "logistic", "", "log_loss", 1e-4}, {"odds, ovr", "logistic", "ovr", "brier", 1e-4}, {"odds, shared", "logistic", "", "log_loss", 1e-4},
		{"survival", "survival", "", "c_index", 2e-3}, {"survival, weighted pairs", "survival", "", "uno_c", 2e-3},
		{"ovr", "", "ovr", "macro_auc", 2e-3}, {"ovo", "", "ovo", "accuracy", 0.04}, {"labels", "", "labels", "macro_auc", 2e-3},
		{"quantile, shared", "quantile", "", "pinball", 1e-4}, {"survival, shared", "survival", "", "uno_c", 2e-3},
	} {
		t.Run(c.name, func(t *testing.T) {
			testlevel.Sample(t, 3, 1)
			rng := datasettest.Random(t, 21)
			rows := datasettest.Clusters(rng, 75, 3, 3, c.multiclass == "labels")
			if c.multiclass == "" {
				rows = datasettest.Clouds(rng, 75, 3)
			}
			for i := range rows {
				rows[i].Target = float64(rows[i].Value[0]) + rng.NormFloat64()
				rows[i].Weight = 0.5 + float64(i%3)
			}
			o := Options{
				Training: bigmkl.Options{Kernels: "gauss:0.1,gauss:1,linear", Normalize: "none", Gap: 1e-7, Task: c.task, Multiclass: c.multiclass, Tau: map[string]float64{"quantile": 0.9, "expectile": 0.9}[c.task], Epsilon: map[string]float64{"survival": 0.1}[c.task]},
				Norms:    []float64{1, 4.0 / 3}, Costs: []float64{0.1, 1}, NoBaselines: true, Measure: c.measure,
				SharedPreparation: strings.HasSuffix(c.name, "shared"),
			}
			for i := range rows {
				o.Splits.Given = append(o.Splits.Given, fmt.Sprint(i/3%3)) // The class of row i is i%3.
			}
			s, _, err := selectRows(t, t.Context(), rows, o)
			if err != nil {
				t.Fatal(err)
			}
			for _, cell := range s.Cells {
				for k, fold := range s.Folds {
					in, out := []dataset.Row{}, []dataset.Row{}
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
					known, err := score.Of(t.Context(), m, datasettest.Stream(out), bigmkl.PredictOptions{})
					if err != nil {
						t.Fatal(err)
					}
					figures := known.Evaluation().Figures
					want := figures[slices.IndexFunc(figures, func(f score.Figure) bool { return f.Key == c.measure })].Value
					if got := cell.Values[k]; !(math.Abs(got-want) <= c.near) {
						t.Errorf("p = %v, C = %g, fold %s: %g, in a plain loop %g", training.Norm, cell.Cost, fold, got, want)
					}
				}
			}
		})
	}
}
