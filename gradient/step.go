package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/invariant"
	"bigmkl/internal/simd"
)

// One iteration of the solver asks for three things: the quadratic model on the working set, the
// slopes and curvatures of every kernel along the step, and the pass that makes the step.

// Pass adds the change delta of the dual variables of the working set to every gradient, and then
// sets combined = sum_m theta_m g_m (n values) and v_m = sum_i alpha_i g_m,i (M values). alpha is
// the whole vector after the change. A set without points only combines anew. While points are
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
	// the rest of it computes the same change again.
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
		// The pass is done, so that the check is not cut short.
		return assertPass(context.WithoutCancel(ctx), gr, alpha, theta, combined)
	}
	return nil
}

// complete reports whether the sums over the points of a pass are those over all points. While some
// sleep that is only asked of passes that change nothing.
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

// combining returns the pass that adds the change of a set and combines the gradients. Its vectors
// are those of the pass before, used again.
func (gr *stored) combining(s *workingSet, alpha, theta []float64) *update {
	u := &gr.vectors
	u.set, u.vector, u.pending, u.columns = s, gr.change(s), nil, 1
	n, kernels := gr.now.panels*simd.Width, gr.bank.Len()
	u.alpha, u.combined = grow(u.alpha, n), grow(u.combined, n)
	u.theta, u.v = grow(u.theta, kernels), grow(u.v, kernels)
	// Lanes behind the last point must not count in alpha'g_m.
	clear(u.alpha[gr.now.n:])
	if gr.now.index == nil {
		copy(u.alpha, alpha)
	}
	for k, i := range gr.now.index {
		u.alpha[k] = alpha[i]
	}
	for id, at := range gr.bank.Places() {
		u.theta[at] = theta[id]
	}
	return u
}

// change returns the change of the linear kernels' vector for a working set's delta, or nil if no
// kernel is linear.
func (gr *stored) change(s *workingSet) []float64 {
	if gr.sum == nil {
		return nil
	}
	return centredSum(gr.bank, gr.points.Dim(), s)
}

// gather returns the points of a set. It keeps the last set, because one iteration asks for it
// three times, and fetching a feature costs a cache line.
func (gr *stored) gather(set []int) *workingSet {
	if gr.last == nil || !slices.Equal(set, gr.last.index) {
		gr.last = gr.collect(gr.bank, set)
	}
	return gr.last
}

// Hessian sets h = sum_m theta_m K_m[B,B] + sum_m rank_m g_m[B] g_m[B]', q x q, row-major. If rank
// is nil the second sum is left out.
//
// It costs q^2/2 kernel values of every kernel and no pass over the points. The bases of the
// working set are kept for Directions if they are few.
func (gr *stored) Hessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	if rank != nil {
		gr.promise(gr.gather(set).index)
	}
	return gr.hessian(ctx, set, theta, func(sq *square) error {
		if rank == nil {
			return nil
		}
		return addRank(ctx, &gr.fields, set, rank, sq)
	}, h)
}

// hessian sets h = sum_m theta_m K_m[B,B] and what add adds to it.
func (gr *stored) hessian(ctx context.Context, set []int, theta []float64,
	add func(sq *square) error, h []float64) error {
	sq := gr.opt.Workspace.square(len(set))
	if err := gr.arith.hessian(ctx, gr.gather(set), theta, sq); err != nil {
		return err
	}
	if err := add(sq); err != nil || !gr.team.leads() {
		return err
	}
	return sq.copyTo(ctx, gr.opt.Threads, h, len(set))
}

// Directions sets b_m = d'g_m[B] and c_m = d'K_m[B,B]d for every kernel. d has one value for each
// point of the set. Where these do not sum to 0, wide kernels are k - exp(-gamma reach).
//
// With b and c the dual objective along d is known in closed form: V_m(t) = V_m + 2 t b_m + t^2
// c_m, so that the line search evaluates no kernel.
func (gr *stored) Directions(ctx context.Context, set []int, d, b, c []float64) error {
	s := gr.gather(set)
	gr.promise(s.index)
	if err := gr.arith.directions(ctx, s, d, c); err != nil {
		return err
	}
	if err := slopes(ctx, &gr.fields, s, d, b); err != nil {
		return err
	}
	if gr.constants != nil {
		// Of one point by itself c_m is k_m(x,x), from which the rounding of values is estimated.
		total := 0.0
		for _, x := range d {
			total += x
		}
		for m, x := range gr.constants {
			c[m] += total * total * x
		}
	}
	if gr.sum != nil {
		step := gr.change(&workingSet{index: s.index, points: s.points, delta: d})
		linearProducts(gr.bank, step, step, c)
	}
	return nil
}
