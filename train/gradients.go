package train

import (
	"context"

	"bigmkl/budget"
	"bigmkl/chunking"
	"bigmkl/cluster/shards"
	"bigmkl/gradient"
	"bigmkl/kernels"
)

// gradients holds g_m = K_m alpha for every kernel on some points, with the cache of kernel rows.
// It is the largest thing in a run: 8 n M bytes for n points and M kernels, in memory or in a
// mapped file. One machine after another can be trained on it, because cached rows do not depend on
// the classes.
//
// Two trainings must not use it at the same time. Its methods compute on as many threads as the
// budget says, and give the same bits for any number of them.
type gradients struct {
	*shards.Gradient // nil before they are made and after Close
	// used says that a training has begun on them, so that they need not be those of alpha = 0.
	used bool
}

// makeGradients returns the gradients of some points at alpha = 0, which are the given rows of the
// store; nil stands for all rows. They refer to the points, and have to be closed before them.
func (r *run) makeGradients(points kernels.Points, rows []int32) (*gradients, error) {
	r.LimitHeap(r.plan.Heap(budget.Single))
	g, err := shards.Make(r.Options.Team, rows, points.Len()*r.columns(&r.Options.Problem, len(r.Store.Classes())), func() (*gradient.Gradient, error) {
		return r.newGradients(points, rows)
	})
	if err != nil {
		return nil, err
	}
	return &gradients{Gradient: g}, nil
}

// withClock returns the gradients with a clock for Result.Times. It limits the heap before the
// values become float64, when the heap has another share of the memory.
func (g *gradients) withClock(r *run) *timed {
	return &timed{g.Gradient, &r.result.Times, func() { r.LimitHeap(r.plan.Heap(budget.Double)) }}
}

// Close frees the gradients. It may be called for nil, and more than once.
func (g *gradients) Close() error {
	if g == nil || g.Gradient == nil {
		return nil
	}
	closing := g.Gradient
	g.Gradient = nil
	return closing.Close()
}

// startAfresh brings a solver to the dual variables alpha. The gradients may be those of any other
// machine: they are computed anew from alpha.
func (r *run) startAfresh(ctx context.Context, s *chunking.Solver, alpha []float64) error {
	if r.Options.startsDouble() {
		// At alpha = 0 the change to double precision has nothing to compute.
		if err := s.Widen(ctx); err != nil {
			return err
		}
	} else {
		r.LimitHeap(r.plan.Heap(budget.Single))
	}
	return s.Start(ctx, alpha)
}
