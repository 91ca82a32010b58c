package bigmkl

import (
	"context"
	"time"

	"bigmkl/budget"
	"bigmkl/dataset"
)

// What a run takes, as the run itself shares it out; see package budget.
type (
	Plan        = budget.Plan
	Share       = budget.Share
	Part        = budget.Part
	Forecast    = budget.Forecast
	Checkpoints = budget.Checkpoints
)

// NewPlan reads src to its end and says what training with these options takes, without training. Budgets that are too
// small are no error here, see Plan.Check, unless the data cannot even be read. src is not closed.
func NewPlan(ctx context.Context, src dataset.Source, o Options) (*Plan, error) {
	w, err := newWorkspace(o)
	if err != nil {
		return nil, err
	}
	t := &training{workspace: w, result: &Result{}}
	defer t.close()
	start := time.Now()
	if err := t.workspace.read(ctx, src); err != nil {
		return nil, err
	}
	began := time.Now()
	if _, err := t.problem(); err != nil {
		return nil, err
	}
	if err := t.pose(ctx); err != nil {
		return nil, err
	}
	prepared := time.Since(began)
	r := t.run()
	p := r.Plan(t.store, t.kernels.Bank)
	if p.Time, err = r.Forecast(ctx, t.store, t.kernels, prepared); err != nil {
		return nil, err
	}
	p.Time.Read = began.Sub(start)
	return p, nil
}
