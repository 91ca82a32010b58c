package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// Whether points that sleep matter is a question about the combined gradient alone. That is made of
// what they had when they fell asleep, under the weights of now, and of what the change delta of
// the dual variables since then adds to it:
//
//	ghat(x) = sum_m theta_m g_m(x) + sum_i delta_i kappa(x_i, x),    kappa = sum_m theta_m k_m.
//
// The profile of kappa is one function of the base of each pair of points, where waking takes every
// kernel. Without one the kernels that have a weight serve, which are few where p is near 1. As a
// rule few points turn out to matter. These alone are roused then (reactivate.go).

// look does the work of Look.
func (gr *sleeping) look(ctx context.Context, l *look, combined []float64) (bool, error) {
	// Profiles depend on how far points that have moved are from each other.
	var moved []int
	for k := range gr.sleepers {
		if list := gr.sleepers[k].moved(l.alpha); len(list) > len(moved) {
			moved = list
		}
	}
	ok, err := gr.arith.profile(ctx, l, collect(gr.points, thin(moved, profiledPoints)).points)
	for k := 0; err == nil && ok && k < len(gr.sleepers); k++ {
		err = gr.lookAt(ctx, l, &gr.sleepers[k], combined)
	}
	return ok && err == nil, err
}

// profiledPoints is the number of points, of those that have moved, whose distances profiles are
// made for. They make profiles exact where most distances are, and the result does not depend on
// them beyond rounding.
const profiledPoints = 64

// thin returns up to k elements of a list, evenly spaced.
func thin(list []int, k int) []int {
	if len(list) <= k {
		return list
	}
	r := make([]int, k)
	for i := range r {
		r[i] = list[i*len(list)/k]
	}
	return r
}

// lookAt sets combined at points that fell asleep together.
//
// Their field has no memory of its own: neither features nor gradients are copied.
func (gr *sleeping) lookAt(ctx context.Context, l *look, s *Sleeper, combined []float64) error {
	f := gr.newField(len(s.Index), s.Index)
	moved, delta := s.moved(l.alpha), []float64(nil)
	for _, i := range moved {
		delta = append(delta, l.alpha[i]-s.Alpha[i])
	}
	constant := l.constant(delta)
	// Each point is a sum of its own, so threads change nothing.
	err := each(ctx, gr.opt.Threads, f.panels, func(_, p int) error {
		for _, id := range f.ids(p) {
			if !gr.all.owns(int(id) / simd.Width) {
				continue
			}
			g, sum := gr.all.g[gr.all.place(int(id), len(l.theta)):], constant
			for k, weight := range l.theta {
				sum += float64(weight * g[k*simd.Width])
			}
			combined[id] = sum
		}
		return nil
	})
	if err == nil {
		err = gr.collectPoints(gr.all, s.Index, combined)
	}
	if err != nil {
		return err
	}
	for _, r := range cut(len(moved), bulkRows) {
		set := gr.tables.collect(gr.bank, moved[r[0]:r[1]])
		set.delta = delta[r[0]:r[1]]
		// The vectors of passes over all points are long enough, and are not in use.
		u := &gr.vectors
		u.set, u.vector, u.pending = set, gr.change(set), nil
		u.combined, u.v = grow(u.combined, f.lanes()), grow(u.v, len(l.theta))
		u.look, u.theta = l, l.theta
		err := gr.arith.stream(ctx, f, u)
		// A look that was cut is begun again, and not gone on with as a pass is.
		u.look, u.theta, u.pending = nil, nil, nil
		if err != nil {
			return err
		}
		for k, i := range s.Index {
			combined[i] += u.combined[k]
		}
	}
	return nil
}

// lookShare is the share of the kernels that are held, as functions of a base, up to which a look
// pays: points that are roused take all of them after it.
const lookShare = 0.5

// profile makes the profiles of a look. ok is false if a look does not pay, or if a kernel has
// factors for points, which are not functions of the base.
func (ps *pass[T]) profile(ctx context.Context, l *look, points *kernels.Set) (ok bool, err error) {
	p, err := newProfiles[T](ctx, l.whole.bank, points, []*scaled{&l.whole}, len(ps.workers))
	if err != nil {
		return false, err
	}
	if p.of == nil {
		p.of = [][]*kernels.Profile[T]{make([]*kernels.Profile[T], len(ps.bank.Groups))}
	}
	l.profiles, l.constant = p, func(delta []float64) float64 { return p.constant(0, delta) }
	l.functions = make([]int, len(ps.bank.Groups))
	sum, held := 0, 0
	for k := range ps.bank.Groups {
		g := &ps.bank.Groups[k]
		if g.Base == kernels.CentredProduct {
			continue
		}
		if g.PointFactors() {
			return false, nil
		}
		for _, weight := range l.whole.of(&l.whole.bank.Groups[k]) {
			if weight != 0 {
				l.functions[k]++
			}
		}
		if p.of[0][k] != nil {
			l.functions[k] = 1
		}
		sum, held = sum+l.functions[k], held+len(g.Members)
	}
	return float64(sum) <= lookShare*float64(held), nil
}
