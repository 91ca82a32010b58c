package calibration

import (
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/datasettest"
)

// TestFeaturesOfHeldOutRows: a feature that only one row has is one of the model's, whether that row is held out or not.
func TestFeaturesOfHeldOutRows(t *testing.T) {
	t.Parallel()
	const share, seed = 0.4, 3
	for name, o := range map[string]bigmkl.Options{
		"plain": {Kernels: "linear,poly:2"}, "gates": {Kernels: "linear,poly:2", Gating: "softmax"}, "projection": {Kernels: "proj(poly:2,2)"},
		"linear projection": {Kernels: "proj(linear,1)"}, "beside others": {Kernels: "gauss:1,proj(gauss:0.1,1)"},
		"mixture": {Task: bigmkl.TaskMED, Kernels: "linear"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, held := range []bool{true, false} {
				rows := datasettest.Clouds(datasettest.Random(t, 7), 12, 2)
				wide := &rows[slices.Index(holdout.Mark(len(rows), share, seed), held)]
				wide.Index, wide.Value = []int32{0, 1, 2}, []float64{1, -1, 0.5}
				o := o
				o.Scale, o.Seed, o.MaxIterations, o.GateSteps, o.Scratch = dataset.ScaleNone, seed, 5, 2, t.TempDir()
				m, _, err := Train(t.Context(), datasettest.Stream(rows), o, Options{Share: share})
				if err != nil {
					t.Fatalf("held out %t: %v", held, err)
				}
				predicted := 0
				if err := m.Predict(t.Context(), datasettest.Stream(rows), bigmkl.PredictOptions{}, func(bigmkl.Prediction) error {
					predicted++
					return nil
				}); err != nil || predicted != len(rows) {
					t.Errorf("held out %t: %d of %d rows predicted, %v", held, predicted, len(rows), err)
				}
				m.Close()
			}
		})
	}
}
