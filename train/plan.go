package train

import (
	"context"
	"time"

	"bigmkl/budget"
	"bigmkl/dataset"
)

// Plan reads src to its end and returns what a training with these options takes of memory, disk
// and time, without training. Budgets that are too small are no error here, see budget.Plan.Check,
// unless the data do not even fit while they are read. Plan does not close src.
func Plan(ctx context.Context, src dataset.Source, o Options) (*budget.Plan, error) {
	bank, err := projectionOf(&o)
	if err != nil {
		return nil, err
	}
	if bank != nil {
		return planProjected(ctx, src, o, bank)
	}
	return planRun(ctx, src, o)
}

// planRun is Plan for a run that is one training.
func planRun(ctx context.Context, src dataset.Source, o Options) (*budget.Plan, error) {
	w, err := Open(o)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	start := time.Now()
	if err := w.Read(ctx, src); err != nil {
		return nil, err
	}
	began := time.Now()
	// A plan counts what the search for nearest rows takes, and does without what it finds.
	nearest, err := w.forecastNeighbours(ctx)
	if err == nil && w.Options.Problem.Posteriors.Neighbours == 0 {
		err = w.findPosteriors(ctx)
	}
	if err != nil {
		return nil, err
	}
	p, err := w.Plan(ctx)
	if err != nil {
		return nil, err
	}
	w.prepared += nearest
	if p.Time, err = w.BudgetRun().Forecast(ctx, w.Store, w.Kernels, w.prepared); err != nil {
		return nil, err
	}
	p.Time.Read, p.Expanded = began.Sub(start), w.Kernels.Expanded
	if p.Values, err = w.BudgetRun().RelativeTimes(ctx, w.Store, w.Kernels); err != nil {
		return nil, err
	}
	return p, nil
}

// Plan prepares the kernels and divides the budgets as a training on the data does. It goes through
// the same steps as machineTrainer.trainModel, so that it refuses what a training would refuse.
func (w *Workspace) Plan(ctx context.Context) (*budget.Plan, error) {
	began := time.Now()
	r := newRun(w, ctx, began) // Its warnings are for a training, and nobody sees them here.
	d, err := newDecomposition(r)
	if err != nil {
		return nil, err
	}
	if d == nil {
		if _, err := r.taskLoss(); err != nil {
			return nil, err
		}
	}
	if err := r.prepareKernels(ctx); err != nil {
		return nil, err
	}
	if _, err := r.regularizer(); err != nil {
		return nil, err
	}
	w.prepared = time.Since(began)
	return w.BudgetRun().Plan(w.Store, w.gatedBank()), nil
}
