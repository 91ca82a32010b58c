package budgets

import (
	"context"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/internal/conformal/calibration"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/bigmkltest"
)

// TestBudgetIsEnoughForFolds: the budget that the rejection of a training with calibration scores names is enough for each training
// without a fold as well, although one of half as many rows takes more memory than the model's.
func TestBudgetIsEnoughForFolds(t *testing.T) {
	t.Parallel()
	testlevel.Sample(t, 2, 1)
	rows := datasettest.Clouds(datasettest.Random(t, 4), 762, 11)
	o := bigmkl.Options{Task: bigmkl.TaskSquare, Solver: bigmkl.SolverLBFGS, Kernels: "linear,chi2:1/features norm=centred,linear@each-feature norm=centred,poly:2..3", Scale: "minmax",
		MaxIterations: 2, Threads: 1, Memory: 1 << 20, Scratch: t.TempDir()}
	c := calibration.Options{Folds: 2}
	for i := range rows {
		rows[i].Target = rows[i].Value[0]
	}
	plan, err := calibration.Plan(t.Context(), datasettest.Stream(rows), o, c)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := bigmkl.NewPlan(t.Context(), datasettest.Stream(rows), o)
	if err != nil {
		t.Fatal(err)
	}
	if plan.Memory.Least <= whole.Memory.Least+1<<20 {
		t.Fatalf("the folds take %d bytes and the model %d: the test compares nothing", plan.Memory.Least, whole.Memory.Least)
	}
	train := func(memory int64) error {
		o := o
		o.Memory = memory
		m, r, err := calibration.Train(context.Background(), datasettest.Stream(rows), o, c)
		if err == nil {
			if m.Conformal == nil || r.Status == chunking.Interrupted {
				t.Errorf("no scores: %s", r.Status)
			}
			m.Close()
		}
		return err
	}
	// The model alone has room in the second budget.
	for _, memory := range []int64{1 << 20, whole.Memory.Least + 1<<19} {
		named := bigmkltest.LeastNamed(t, train(memory))
		if err := train(named); err != nil {
			t.Errorf("--memory %d was named as enough: %v", named, err)
		}
		if named-plan.Memory.Least >= 1<<20 || named < plan.Memory.Least {
			t.Errorf("--memory %d is named, planned are %d", named, plan.Memory.Least)
		}
	}
}

// TestPlanOfLinearProjections: the plan of a projection to one direction counts the training on all features that finds the
// direction. Trainings with calibration scores reject budgets by this plan.
func TestPlanOfLinearProjections(t *testing.T) {
	t.Parallel()
	rows := bigmkltest.Words(t, 298, 40, 3000, 15)
	o := bigmkl.Options{Kernels: "proj(linear,1)", MaxIterations: 1, Threads: 2, Memory: 1 << 20, Scratch: t.TempDir()}
	c := calibration.Options{Folds: 2}
	o.Memory = bigmkltest.Planned(t, rows, o).Memory.Least
	if _, _, err := bigmkl.Train(t.Context(), datasettest.Stream(rows), o); err != nil {
		t.Errorf("of the planned %d bytes: %v", o.Memory, err)
	}
	o.Memory = 1
	_, _, err := calibration.Train(t.Context(), datasettest.Stream(rows), o, c)
	o.Memory = bigmkltest.LeastNamed(t, err)
	if _, _, err := calibration.Train(t.Context(), datasettest.Stream(rows), o, c); err != nil {
		t.Errorf("with calibration scores, of the named %d bytes: %v", o.Memory, err)
	}
}
