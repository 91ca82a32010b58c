package optima

import (
	"fmt"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestFarFromTheOrigin: points that are near each other and far from the origin, as a feature without variance makes them, have wide
// kernels whose values at the origin overflow single precision. The last panel is padded with the origin.
func TestFarFromTheOrigin(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 9)
	for _, constant := range []float64{9, 40} {
		for _, kernels := range []string{"gauss:0.25..2/4", "gauss:0.25..4/5", "laplace:0.125..2/5", "chi2:0.125..2/5", "matern:1.5:0.125..2/5"} {
			if !testlevel.Tried(t, fmt.Sprint(constant, kernels), 3, 1) {
				continue
			}
			rows := make([]dataset.Row, 1003)
			for i := range rows {
				x := []float64{rng.Float64() / 20, rng.Float64() / 20, constant}
				rows[i] = dataset.Row{Index: []int32{0, 1, 2}, Value: x, Label: map[bool]string{true: "1", false: "-1"}[x[0] > x[1]]}
			}
			m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), bigmkl.Options{Kernels: kernels, Scale: "none", Gap: 1e-3})
			verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
		}
	}
}
