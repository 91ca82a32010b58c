package budgets

import (
	"context"
	"errors"
	"math"
	"testing"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/internal/conformal/calibration"
	"bigmkl/internal/contexttest"
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

// TestOutlineIsEnoughForFolds: so it is where the features alone exceed the budget, and the trainings are counted by their outlines.
func TestOutlineIsEnoughForFolds(t *testing.T) {
	t.Parallel()
	testlevel.Sample(t, 2, 1)
	rows := datasettest.Clouds(datasettest.Random(t, 5), 566, 2500)
	o := bigmkl.Options{Kernels: "proj(gauss:0.01,1)", MaxIterations: 1, GateSteps: 1, Threads: 1, Scratch: t.TempDir()}
	plans := map[string]func() (*bigmkl.Plan, error){
		"calibration": func() (*bigmkl.Plan, error) {
			return calibration.Plan(t.Context(), datasettest.Stream(rows), o, calibration.Options{Folds: 10})
		},
		"probabilities": func() (*bigmkl.Plan, error) {
			o := o
			o.Folds = 10
			return bigmkl.NewPlan(t.Context(), datasettest.Stream(rows), o)
		},
	}
	for name, plan := range plans {
		o.Memory = 1
		_, err := plan()
		o.Memory = bigmkltest.LeastNamed(t, err)
		p, err := plan()
		if err != nil {
			t.Fatalf("%s: of the named %d bytes: %v", name, o.Memory, err)
		}
		if p.Memory.Least > o.Memory {
			t.Errorf("%s: %d bytes were named as enough, planned are %d", name, o.Memory, p.Memory.Least)
		}
	}
}

// TestInterruptedCountOfFolds: an interrupt while the trainings without a fold are counted ends the run as an interrupt. Before,
// the error named the budget of the model, which is not enough for the folds.
func TestInterruptedCountOfFolds(t *testing.T) {
	t.Parallel()
	testlevel.Sample(t, 2, 1)
	rows := datasettest.Clouds(datasettest.Random(t, 6), 560, 2)
	o := bigmkl.Options{Kernels: "gauss:1", MaxIterations: 1, Threads: 1, Memory: 1, Scratch: t.TempDir()}
	probabilities := o
	probabilities.Folds = 10
	table := map[string]func(context.Context) error{
		"calibration": func(ctx context.Context) error {
			_, _, err := calibration.Train(ctx, datasettest.Stream(rows), o, calibration.Options{Folds: 10})
			return err
		},
		"probabilities": func(ctx context.Context) error {
			_, _, err := bigmkl.Train(ctx, datasettest.Stream(rows), probabilities)
			return err
		},
	}
	for name, train := range table {
		whole := contexttest.NewCountdown(math.MaxInt64)
		least, ends := bigmkltest.LeastNamed(t, train(whole)), 0
		for at := int64(1); at < whole.Asked(); at += 1 + at/8 {
			err := train(contexttest.NewCountdown(at))
			var u *bigmkl.Unfinished
			if errors.As(err, &u) {
				ends++
				continue
			}
			if named := bigmkltest.LeastNamed(t, err); named != least {
				t.Errorf("%s: after %d of %d looks %d bytes are named, and %d without the interrupt", name, at, whole.Asked(), named, least)
			}
		}
		if ends == 0 {
			t.Errorf("%s: nothing was interrupted", name)
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
