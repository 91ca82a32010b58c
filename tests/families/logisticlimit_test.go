package families

import (
	"testing"

	"bigmkl"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestLogisticOfLargeValues: kernels of large values make alpha tiny, and a working set ends far from its optimum. The sum of
// alpha is 0 all the same, wherever a limit ends the run.
func TestLogisticOfLargeValues(t *testing.T) {
	t.Parallel()
	rows := oddsRows(t, 41, 400)
	for i := range rows {
		for j := range rows[i].Value {
			rows[i].Value[j] *= 400
		}
	}
	o := bigmkl.Options{Task: bigmkl.TaskLogistic, Kernels: "poly:2", Normalize: "none", Scale: "none", Norm: 1, Gap: 1e-5, Threads: 1}
	for most := 1; most <= 8; most++ {
		o.MaxIterations = most
		m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	}
}
