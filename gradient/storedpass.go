package gradient

import (
	"context"

	"bigmkl/internal/invariant"
)

// Pass adds the change delta of the dual variables of the working set to every gradient, and then
// sets combined = sum_m theta_m g_m (n values) and v_m = sum_i alpha_i g_m,i (M values). alpha is
// the whole vector after the change. A set without points only combines again. While points are
// asleep, combined is written on the active points only. v is then left as it is, unless the set
// is empty and the dual variables of all points that sleep are 0.
//
// If ctx ends the pass in its midst, State holds what is done. To go on, from there or in another
// Gradient that has taken over the state, call Pass again with the same arguments.
//
// The cost is one row of every base for each point that has moved, and one stream over the
// gradients.
func (gr *stored) Pass(ctx context.Context, set []int,
	delta, alpha, theta, combined, v []float64) error {
	u := gr.combining(gr.gather(set).changed(delta), alpha, theta)
	u.pending = gr.pending
	err := gr.arith.stream(ctx, gr.now, u)
	gr.pending = u.pending
	if err != nil {
		return err
	}
	// The vector of the linear kernels moves only after a pass that was not cut: a second call for
	// the remaining points computes the same change again.
	for j, x := range u.vector {
		gr.sum[j] += x
	}
	if gr.now.index == nil {
		copy(combined, u.combined)
	}
	if gr.complete(set, alpha) {
		for id, at := range gr.bank.Places() {
			v[id] = u.v[at]
		}
		linearProducts(gr.bank, gr.sum, gr.sum, v)
	}
	for k, i := range gr.now.index {
		combined[i] = u.combined[k]
	}
	if invariant.Enabled && gr.team.alone() {
		// The pass is done, so the check is not cut short.
		return (&checked{&gr.engine, alpha, theta}).pass(context.WithoutCancel(ctx), combined)
	}
	return nil
}

// complete reports whether the sums over the points of a pass cover all points. While some sleep it
// is only called for passes that change nothing.
func (gr *stored) complete(set []int, alpha []float64) bool {
	if gr.now.index == nil {
		return true
	}
	if len(set) > 0 {
		return false
	}
	awake := 0
	for _, i := range gr.now.index {
		if alpha[i] != 0 {
			awake++
		}
	}
	for _, a := range alpha {
		if a != 0 {
			awake--
		}
	}
	return awake == 0
}
