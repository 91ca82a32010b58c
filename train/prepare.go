package train

import (
	"bigmkl/budget"
	"context"
)

// prepareKernels makes the kernels, and warns of what in the data may be a slip.
func (r *run) prepareKernels(ctx context.Context) error {
	r.setOperation("the kernels were made")
	warnData(r)
	if err := r.Workspace.PrepareKernels(ctx); err != nil {
		return err
	}
	if err := warnZeros(r, ctx); err != nil {
		return err
	}
	warnCost(r)
	return nil
}

// The plan comes before the normalisation because that takes memory of its own; it is the same plan as
// that of Plan, figure by figure. Nothing later asks the computer for a budget again.

// prepare shares the budgets out and normalises the kernels.
func (r *run) planAndNormalize(ctx context.Context) error {
	r.setOperation("the kernels were normalised")
	p := r.BudgetRun().Plan(r.Store, r.Kernels.Bank)
	r.plan = p
	if err := p.Check(); err != nil {
		return err
	}
	if short := p.Checkpoints.Short(); short != "" && !r.Options.Checkpoint.Resume { // of a run that goes on most of them are there
		r.warn("%s", short)
	}
	r.LimitHeap(p.Heap(budget.Normalizing))
	return r.FindScales(ctx, r.warn)
}

// release makes room for the model, which takes memory of its own: what the gradients and the row
// cache held goes first.
func (r *run) releaseGradients(g *gradients) error {
	err := g.Close()
	r.LimitHeap(r.Options.Budget.Memory)
	return err
}
