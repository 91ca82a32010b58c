package bigmkl

import (
	"errors"
	"testing"
	"time"

	"bigmkl/dataset/datasettest"
	"bigmkl/verify/verifytest"
)

// TestZeroCanBeAskedFor: where zero stands for a default, Zero asks for zero itself.
func TestZeroCanBeAskedFor(t *testing.T) {
	rows := datasettest.Clouds(datasettest.Random(t, 700), 80, 4)
	for i := range rows {
		rows[i].Label, rows[i].Target = "", float64(i%9)/4
	}
	o := Options{Task: TaskSVR, Kernels: "gauss:auto/2,linear", Epsilon: Zero}
	m, _ := converge(t, datasettest.Stream(rows), o)
	if m.Epsilon != 0 {
		t.Errorf("a tube of %g", m.Epsilon)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	o.Epsilon = 0
	if m, _ = converge(t, datasettest.Stream(rows), o); m.Epsilon != 0.1 {
		t.Errorf("a tube of %g by default", m.Epsilon)
	}
	verifytest.MustVerify(t, &m.Model, datasettest.Stream(rows))
	o.Disk, o.Scratch = Zero, t.TempDir()
	if _, _, err := Train(t.Context(), datasettest.Stream(rows), o); !errors.Is(err, ErrBudget) {
		t.Errorf("without a disk: %v", err)
	}
	o.CheckpointEvery = Zero
	if parts, err := o.Parts(); err != nil || parts.Checkpoint.Every != 0 {
		t.Errorf("%v between checkpoints, %v", parts.Checkpoint.Every, err)
	}
	o.CheckpointEvery = -time.Nanosecond
	if err := o.Validate(); !errors.Is(err, ErrUsage) {
		t.Errorf("an interval below 0: %v", err)
	}
}
