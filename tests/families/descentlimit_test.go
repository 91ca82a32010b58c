package families

import (
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/internal/datasettest"
	"bigmkl/tests/bigmkltest"
)

// TestLimitsOfDescents: a limit makes any trial the last one. Trials have gaps of their own, but the model claims the gap of
// the run. If that is below 1e-4, automatic precision has reached it in double precision.
func TestLimitsOfDescents(t *testing.T) {
	t.Parallel()
	rows := descentRows(datasettest.Random(t, 38001), 120)
	several := bigmkl.Options{Kernels: "proj(gauss:0.5,2),linear", Multiclass: "ovr", OneGate: true}
	reached := 0
	for _, o := range append([]bigmkl.Options{several}, descents...) {
		for _, task := range []string{bigmkl.TaskClass, bigmkl.TaskHuber} {
			if o.Multiclass != "" && task != bigmkl.TaskClass {
				continue
			}
			for most := 1; most <= 4; most++ {
				o.Task, o.C, o.Gap, o.MaxIterations, o.Threads = task, 0.01, 2e-5, most, 1
				m, r := bigmkltest.TrainModel(t, datasettest.Stream(rows), o)
				if r.Status != chunking.Converged && m.Certificate.RelativeGap <= o.Gap {
					reached++
				}
				mustVerifyProjected(t, m, rows)
			}
		}
	}
	if reached == 0 {
		t.Error("no trial has come to the gap of the run")
	}
}
