package gradient

import (
	"context"
	"slices"

	"bigmkl/internal/simd"
)

// One iteration of the solver asks for three things: the quadratic model on the working set, the
// slopes and curvatures of every kernel along the step, and the pass that makes the step (storedpass.go).

// combining returns the pass that adds the change of a set and combines the gradients. Its vectors
// are the vectors of the pass before, used again.
func (gr *engine) combining(s *workingSet, alpha, theta []float64) *update {
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
func (gr *engine) change(s *workingSet) []float64 {
	if gr.sum == nil {
		return nil
	}
	return centredSum(gr.bank, gr.points.Dim(), s)
}

// gather returns the points of a set. It keeps the last set, because one iteration asks for it
// three times, and fetching a feature costs a cache line.
func (gr *engine) gather(set []int) *workingSet {
	if gr.last == nil || !slices.Equal(set, gr.last.index) {
		gr.last = gr.tables.collect(gr.bank, set)
	}
	return gr.last
}

// Hessian sets h = sum_m theta_m K_m[B,B] + sum_m rank_m g_m[B] g_m[B]', q x q, row-major. If rank
// is nil the second sum is left out.
//
// It costs q^2/2 kernel values of every kernel and no pass over the points. The bases of the
// working set are kept for Directions if they are few.
func (gr *engine) Hessian(ctx context.Context, set []int, theta, rank, h []float64) error {
	if rank != nil {
		gr.promise(gr.now, gr.gather(set).index)
	}
	return gr.hessian(ctx, set, theta, func(sq *square) error {
		if rank == nil {
			return nil
		}
		t, err := newRankTerm(&gr.fields, set)
		if err != nil {
			return err
		}
		return t.add(ctx, rank, sq)
	}, h)
}

// hessian sets h = sum_m theta_m K_m[B,B] and what add adds to it.
func (gr *engine) hessian(ctx context.Context, set []int, theta []float64,
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
// c_m, so the line search evaluates no kernel.
func (gr *engine) Directions(ctx context.Context, set []int, d, b, c []float64) error {
	s := gr.gather(set)
	gr.promise(gr.now, s.index)
	if err := gr.arith.directions(ctx, s, d, c); err != nil {
		return err
	}
	t, err := newRankTerm(&gr.fields, s.index)
	if err == nil {
		err = t.slopes(ctx, gr.now, s.index, d, b)
	}
	if err != nil {
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

// products sets to_m = d'g_m over the gradients of a field, and image = sum_m theta_m g_m of them, unless that is nil.
func (gr *engine) products(ctx context.Context, f *field, d, theta, to, image []float64) error {
	u := gr.combining(gr.gather(nil), d, theta)
	if err := gr.arith.stream(ctx, f, u); err != nil {
		return err
	}
	for id, at := range gr.bank.Places() {
		to[id] = u.v[at]
	}
	copy(image, u.combined)
	return nil
}
