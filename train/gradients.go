package train

import (
	"context"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/kernels"
)

// gradients are g_m = K_m alpha of some points, for every kernel, with the cache of kernel rows. They
// are the largest thing that a run holds, 8 n M bytes, in memory or in a mapped file. One machine after
// another may be trained on them: rows in the cache do not depend on the classes, and stay.
//
// They are not safe for use by two trainings at the same time. What computes inside them runs on as
// many threads as the budget says, and gives the same bits for any number.
type gradients struct {
	*gradient.Gradient
	used bool // a problem has begun on them: they need not be those of alpha = 0
}

// hold makes the gradients of some points. Close them before the points.
func (r *run) makeGradients(points kernels.Points, bank *kernels.Bank) (*gradients, error) {
	r.LimitHeap(r.plan.Heap(budget.Single))
	g, err := gradient.New(points, bank, r.plan.Gradient(r.BudgetRun()))
	if err != nil {
		return nil, err
	}
	return &gradients{Gradient: g}, nil
}

// timed are the gradients with a clock, and with a word to the heap before they become float64.
func (g *gradients) withClock(r *run) *timed {
	return &timed{g.Gradient, &r.result.Times, func() { r.LimitHeap(r.plan.Heap(budget.Double)) }}
}

// Close lets go of the gradients, once. It may be called for nil.
func (g *gradients) Close() error {
	if g == nil || g.Gradient == nil {
		return nil
	}
	closing := g.Gradient
	g.Gradient = nil
	return closing.Close()
}

// startAfresh brings a solver to dual variables alpha on gradients that another machine may have left
// anywhere. It begins in double precision if the run is to, and then with alpha = 0.
func (r *run) startAfresh(ctx context.Context, s *chunking.Solver, alpha []float64) error {
	if r.Options.startsDouble() {
		if err := s.Widen(ctx); err != nil { // while there is nothing to compute
			return err
		}
	} else {
		r.LimitHeap(r.plan.Heap(budget.Single))
	}
	return s.Start(ctx, alpha)
}
