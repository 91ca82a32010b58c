package optima

import (
	"math"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestFallenEnergies: one class starts on its first rows, one of which lies far away. So V falls by many
// orders of magnitude. The certificate and the norms belong to the solution, whether it has
// converged or not, and not to the rounding errors of the start.
func TestFallenEnergies(t *testing.T) {
	t.Parallel()
	for _, far := range []float64{1e3, 1e5, 1e6} {
		for _, p := range []float64{4.0 / 3, math.Inf(1)} {
			for _, iterations := range []int{2, 300} {
				rows := datasettest.Clouds(datasettest.Random(t, 3), 90, 4)
				rows[0].Index, rows[0].Value = []int32{0, 1, 2, 3}, []float64{far, -far, far, far}
				o := bigmkl.Options{Task: bigmkl.TaskOneClass, Nu: 0.7, Kernels: "poly:2@1-2,poly:2@3-4,laplace:0.1", Normalize: "none",
					Scale: dataset.ScaleNone, Norm: p, Gap: 1e-6, MaxIterations: iterations}
				for _, o.Precision = range []string{"auto", "64"} {
					m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
					verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
				}
			}
		}
	}
}
