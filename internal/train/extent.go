package train

import (
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

// Extent lists the parts of a run beyond the training of one classifier, each of which takes more
// of the budgets.
type Extent struct {
	// Path is set if models are made beside gradients that the next training needs.
	Path bool
	// KeepsAlpha is set if the dual variables of every classifier are kept for a training that
	// starts from them.
	KeepsAlpha bool
	// Stream is set if rows are put behind others that were trained on.
	Stream bool
	// Account returns what the run takes of the memory. If it is nil, that is what a training
	// takes. A rejection because the points or the kernels do not fit quotes it.
	Account func(r *budget.Run, points kernels.Points, b *kernels.Bank) budget.Share

	cost    float64       // the largest C of a path
	pairs   int64         // pairs of rows, of a loss of pairs
	several budget.Effort // what several classifiers take; zero for one classifier
}

// run returns what the budgets of a run depend on, apart from its points and kernels. The rows and the
// kernels are nil before they are known.
func (e *Extent) run(o *Options, store *dataset.Store, k *kernels.Prepared) *budget.Run {
	r := &budget.Run{
		Options: o.Budget, Tuning: o.Solver.Tuning, QuasiNewton: movesAll(o.Solver.Method),
		NewtonSteps:   model.GivesHazards(o.Problem.Task),
		CuttingPlanes: o.Solver.cutsPlanes(), Norm: o.Norm.bytes, Double: o.endsDouble(),
		Classifiers: budget.Classifiers{Several: e.several, OneTheta: o.Problem.OneTheta},
		Path:        e.Path, Stream: e.Stream, Folds: o.Folds, Apart: o.apart, KeepsAlpha: e.KeepsAlpha,
		Posteriors:    o.Problem.Posteriors.Asked(),
		MaxIterations: o.Limits.Iterations, MaxTime: o.Limits.Time,
	}
	r.Whole = o.Problem.mayNeedAllPoints(max(o.Problem.C, e.cost))
	r.Tube = slices.Contains(model.TubeTasks, o.Problem.Task)
	o.Problem.wing().account(o, e, r)
	if !o.Team.Alone() {
		r.Ranks = o.Team.Size()
	}
	if rule := o.Norm.Rule; rule != nil && rule.HoldsOut() {
		r.Folds, r.HoldsOut = max(r.Folds, o.Norm.RuleFolds), true
	} else if rule != nil {
		r.Aligned, r.Sample = true, o.Norm.RuleSample
	}
	if o.Gating.Gated() {
		r.Gates = gateSizes{o.Gating, o.Budget.Threads, store}.bytes
	}
	if k != nil {
		if r.Held = k.Held(); r.Columns {
			r.Held = 0 // Several columns keep the gradients of all kernels.
		}
		for _, s := range k.Skeletons {
			r.Skeletons += s.Bytes()
		}
	}
	// The initial model stays in memory: 12 bytes for each support vector, 48 for each kernel.
	if m := o.Init; m != nil {
		r.Initial += m.VectorBytes() + 12*int64(len(m.Alpha)) + 48*int64(len(m.Theta))
	}
	r.Projected, r.Descent = o.projected, o.descent
	if o.Budget.Kept.Predicted {
		r.Prediction = predictionSizes{o}.most
	}
	return r
}

// largeCost is the C from which on working sets may make so little progress that steps of all points take their place.
const largeCost = 10

// mayNeedAllPoints reports whether trainings at costs up to C may come to steps of all points, which take memory of their
// own. A C that follows from the targets is none that they need.
func (p *Problem) mayNeedAllPoints(C float64) bool {
	return C >= largeCost && !p.CostInUnits && !p.OneTheta && model.Bounded(p.Task, p.Loss) && !model.GivesOdds(p.Task)
}

// columns is the number of columns of dual variables of a problem of so many classes.
func (e *Extent) columns(p *Problem, classes int) int {
	switch t := p.traits(); {
	case t.classColumns:
		return classes
	case t.componentColumns:
		return e.several.Classifiers
	}
	return 1
}

// split takes note of what the classifiers of a decomposition take together, which may be nil.
func (e *Extent) split(d *decomposition, store *dataset.Store) {
	if d != nil {
		e.several = d.effort(store)
	}
}
