package gradient

import (
	"context"
)

// bulkRows is the number of changed points that one pass takes when many are applied.
//
// So many rows are packed at a time, which Footprint counts.
const bulkRows = 512

// apply adds sum_i change(i) K_m(x_i, .) over the points of a list to the gradients of a field.
// Their part of the linear kernels' vector is added to vector, if that is not nil. If all kernels
// are linear one pass takes the whole list: their change is one vector however many points have
// moved.
func (gr *stored) apply(ctx context.Context, f *field, list []int, change func(i int) float64,
	vector []float64) error {
	parts := cut(len(list), bulkRows)
	// carried is the change of the parts before, which all-linear problems apply with the last
	// part.
	var carried []float64
	for k, r := range parts {
		s := gr.collect(gr.bank, list[r[0]:r[1]])
		for _, i := range s.index {
			s.delta = append(s.delta, change(i))
		}
		// The pass does not combine: the weights may not be known yet, and a later pass does so.
		u := &update{set: s, vector: gr.change(s)}
		for j := range vector {
			vector[j] += u.vector[j]
		}
		if gr.rowless {
			for j, x := range carried {
				u.vector[j] += x
			}
			if carried = u.vector; k < len(parts)-1 {
				continue
			}
		}
		if err := gr.arith.stream(ctx, f, u); err != nil {
			return err
		}
	}
	return nil
}

// Rebuild computes every gradient afresh from alpha, with all points active. From here on
// arithmetic is float64 if double, or else float32. If ctx ends it in its midst there are no
// gradients until Rebuild has been called again.
//
// It takes one row for each support vector and forgets what rounding has added up over the passes.
// Gates of the bank may have moved before (kernels.Gates): rows in the cache serve on, because they
// are bases, which know of no gates.
func (gr *stored) Rebuild(ctx context.Context, alpha []float64, double bool) error {
	if gr.now != gr.all {
		gr.held -= gr.now.held
		if err := gr.now.close(); err != nil {
			return err
		}
		gr.now = gr.all
	}
	// Whatever was cut before is void, as everything is computed afresh.
	gr.sleepers, gr.waking, gr.pending, gr.hollow = nil, nil, nil, true
	if err := gr.use(double); err != nil {
		return err
	}
	clear(gr.all.g)
	clear(gr.sum)
	change := func(i int) float64 { return alpha[i] }
	if err := gr.apply(ctx, gr.all, support(alpha), change, gr.sum); err != nil {
		return err
	}
	gr.hollow = false
	return nil
}

// RebuildActive is Rebuild for the points of active, ascending. The others sleep, with the gradients
// of alpha = 0: to wake them is to compute them afresh, too, so that each support vector costs one
// row in all. If ctx ends it there are no gradients, as after a Rebuild that was cut.
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
		err = gr.apply(ctx, gr.now, support(alpha), change, gr.sum)
	}
	gr.hollow = err != nil
	if err == nil || gr.now == gr.all {
		return err
	}
	// What has been computed is part of no state.
	gr.held -= gr.now.held
	gr.now.close()
	gr.now, gr.sleepers = gr.all, nil
	return err
}
