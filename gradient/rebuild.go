package gradient

import (
	"context"
	"slices"
)

// Rebuild computes every gradient again from alpha, with all points active. From here on
// arithmetic is float64 if double, or else float32. If ctx ends it in its midst there are no
// gradients until Rebuild has been called again.
//
// It takes one row for each support vector, of the groups that Options.Starts does not know yet, and forgets what
// rounding has added up over the passes.
// Gates of the bank may have moved before (kernels.Gates): rows in the cache serve on, because they
// are bases, which do not contain gates.
func (gr *stored) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	if err := gr.wakeBlank(); err != nil {
		return err
	}
	// Whatever was cut before is void, as everything is computed again.
	gr.pending, gr.hollow = nil, true
	if err := gr.use(double); err != nil {
		return err
	}
	clear(gr.all.g)
	clear(gr.sum)
	change, vectors := func(i int) float64 { return alpha[i] }, support(alpha)
	var names []string
	if len(vectors) > 0 {
		names = gr.opt.Starts.names(&gr.engine)
	}
	known := gr.opt.Starts.recall(&gr.engine, names, alpha)
	if known == nil || slices.Contains(known, false) {
		if err := gr.apply(ctx, gr.all, vectors, change, gr.sum, known); err != nil {
			return err
		}
		if err := gr.opt.Starts.keep(&gr.engine, names, alpha, known); err != nil {
			return err
		}
	}
	gr.hollow = false
	return nil
}

// RebuildActive is Rebuild for the points of active, ascending. The others sleep, with the gradients
// of alpha = 0: to wake them is to compute them again, too, so each support vector costs one row in
// all. If ctx ends it there are no gradients, as after a Rebuild that was cut.
func (gr *stored) RebuildActive(ctx context.Context, active []int, alpha []float64,
	double bool) error {
	zero := make([]float64, len(alpha))
	if err := gr.Rebuild(ctx, zero, double); err != nil {
		return err
	}
	gr.hollow = true
	err := gr.Shrink(ctx, active, zero)
	if err == nil {
		change := func(i int) float64 { return alpha[i] }
		err = gr.apply(ctx, gr.now, support(alpha), change, gr.sum, nil)
	}
	gr.hollow = err != nil
	if err == nil || gr.now == gr.all {
		return err
	}
	// What has been computed is part of no state.
	gr.wakeBlank()
	return err
}
