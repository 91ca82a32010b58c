package train

import (
	"context"
	"time"

	"bigmkl/dataset"
	"bigmkl/internal/budget"
)

// Plan reads src to its end and returns what a training with these options takes of memory, disk
// and time, without training. Budgets that are too small are not an error here, see
// budget.Plan.Check, unless the data do not even fit while they are read. Plan does not close src.
func Plan(ctx context.Context, src dataset.Source, o Options) (*budget.Plan, error) {
	kept, src, err := keepRows(ctx, src, &o)
	if err != nil {
		return nil, err
	}
	defer kept.close()
	p, err := planAlone(ctx, src, o)
	switch {
	case kept == nil:
	case err == nil:
		err = kept.folds().Raise(ctx, p)
	default:
		err = kept.rejected(ctx, err, o)
	}
	return p, err
}

// planAlone is Plan for the training of the model.
func planAlone(ctx context.Context, src dataset.Source, o Options) (*budget.Plan, error) {
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
	nearest, err := w.certainty().forecast(ctx)
	if err == nil && w.Options.Problem.Posteriors.Neighbours == 0 {
		err = w.certainty().find(ctx)
	}
	if err != nil {
		return nil, err
	}
	preparing := time.Now()
	p, err := w.Plan(ctx)
	if err != nil {
		return nil, err
	}
	prepared := time.Since(preparing) + nearest
	if p.Time, err = w.BudgetRun().Forecast(ctx, w.Store, w.Kernels, prepared); err != nil {
		return nil, err
	}
	p.Time.Read, p.Expanded = began.Sub(start), w.Kernels.Expanded
	if p.Values, err = w.BudgetRun().RelativeTimes(ctx, w.Store, w.Kernels); err != nil {
		return nil, err
	}
	return p, nil
}
