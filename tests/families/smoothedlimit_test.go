package families

import (
	"fmt"
	"testing"

	"bigmkl"
	"bigmkl/internal/datasettest"
	"bigmkl/tests/bigmkltest"
)

// TestRoundingOfSmoothedTrials: trials have a smoothed loss. If one is the last, its certificate counts what rounding does to
// the loss itself, where a large cost multiplies it.
func TestRoundingOfSmoothedTrials(t *testing.T) {
	t.Parallel()
	rows := descentRows(datasettest.Random(t, 38002), 25)
	for i := range rows {
		rows[i].Label = fmt.Sprint(i % 6)
	}
	o := bigmkl.Options{Kernels: "gauss:auto,proj(gauss:0.00193,3)", Multiclass: "ovo", OneGate: true, C: 4e5, Norm: 2, Gap: 1e-5, Threads: 1}
	for most := 200; most <= 600; most += 100 {
		o.MaxIterations = most
		m, _ := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
		mustVerifyProjected(t, m, rows)
	}
}
