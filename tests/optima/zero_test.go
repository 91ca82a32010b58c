package optima

import (
	"errors"
	"testing"
	"time"

	"bigmkl"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/verifytest"
	"bigmkl/tests/bigmkltest"
)

// TestZeroCanBeAskedFor: where zero means a default, Zero asks for zero itself.
func TestZeroCanBeAskedFor(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clouds(datasettest.Random(t, 700), 80, 4)
	for i := range rows {
		rows[i].Label, rows[i].Target = "", float64(i%9)/4
	}
	o := bigmkl.Options{Task: bigmkl.TaskSVR, Kernels: "gauss:auto/2,linear", Epsilon: bigmkl.Zero}
	m, _ := bigmkltest.Converge(t, datasettest.Stream(rows), o)
	if m.Epsilon != 0 {
		t.Errorf("a tube of %g", m.Epsilon)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	o.Epsilon = 0
	if m, _ = bigmkltest.Converge(t, datasettest.Stream(rows), o); m.Epsilon != 0.1*m.C {
		t.Errorf("a tube of %g by default", m.Epsilon)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	o.Disk, o.Scratch = bigmkl.Zero, t.TempDir()
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o); !errors.Is(err, bigmkl.ErrBudget) {
		t.Errorf("without a disk: %v", err)
	}
	o.CheckpointEvery = bigmkl.Zero
	if parts, err := o.Parts(); err != nil || parts.Checkpoint.Every != 0 {
		t.Errorf("%v between checkpoints, %v", parts.Checkpoint.Every, err)
	}
	o.CheckpointEvery = -time.Nanosecond
	if err := o.Validate(); !errors.Is(err, bigmkl.ErrUsage) {
		t.Errorf("an interval below 0: %v", err)
	}
}
