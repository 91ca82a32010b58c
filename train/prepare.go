package train

import (
	"context"

	"bigmkl/budget"
)

// prepareKernels makes the kernels, and warns of data and options that are legal and may be
// mistakes.
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
	warnUnscaled(r)
	warnViews(r)
	warnRare(r)
	return warnContradictions(ctx, r)
}

// planAndNormalize is normalizePlanned, after which the ranks of a team join.
func (r *run) planAndNormalize(ctx context.Context) error {
	if err := r.normalizePlanned(ctx); err != nil {
		return err
	}
	return r.join(ctx)
}

// normalizePlanned divides the budgets and normalises the kernels, and finds their weights if a rule gives
// them. The plan comes first because the normalisation takes memory of its own. It equals that of Plan,
// number by number, and no later step asks the computer for a budget again.
func (r *run) normalizePlanned(ctx context.Context) error {
	r.setOperation("the kernels were normalised")
	p := r.BudgetRun().Plan(r.Store, r.gates.over(r.Kernels.Bank))
	r.plan = p
	if err := p.Check(); err != nil {
		return err
	}
	// The checkpoints of a resumed run take most of their disk already.
	if short := p.Checkpoints.Short(); short != "" && !r.Options.Checkpoint.Resume {
		r.warn("%s", short)
	}
	r.LimitHeap(p.Heap(budget.Normalizing))
	if err := r.FindScales(ctx, r.warn); err != nil {
		return err
	}
	return r.applyRule(ctx)
}

// releaseGradients frees the gradients and the row cache before the model is made, which takes
// memory of its own. The heap may then take all of the budget.
func (r *run) releaseGradients(g *gradients) error {
	err := g.Close()
	r.LimitHeap(r.Options.Budget.Memory)
	return err
}
