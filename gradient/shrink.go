package gradient

import (
	"context"
	"slices"
)

// Shrinking. Passes over the active points alone leave the gradients of the others behind. What they miss is the change of
// the dual variables since they were left, which is applied merged when they wake: a point that changed a hundred times
// costs one row.

// Shrink restricts passes to the points of active, ascending, a part of those that are active now and not empty. alpha is
// the present vector. While points are asleep, Pass writes combined on the active points only and leaves v as it is.
func (gr *Gradient) Shrink(ctx context.Context, active []int, alpha []float64) error {
	stay := make([]int32, len(active))
	for k, i := range active {
		stay[k] = int32(i)
	}
	left := Sleeper{Alpha: slices.Clone(alpha)}
	places := make([]int32, 0, len(stay))
	k := int32(0)
	for i := range gr.now.each() {
		if at := len(places); at < len(stay) && stay[at] == i {
			places = append(places, k)
		} else {
			left.Index = append(left.Index, i)
		}
		k++
	}
	if gr.now != gr.all {
		if err := gr.drop(ctx, gr.now); err != nil {
			return err
		}
	}
	gr.now = gr.all
	f, err := gr.part(ctx, stay)
	if err != nil {
		return err
	}
	gr.now, gr.sleepers = f, append(gr.sleepers, left)
	return gr.arith.narrow(f, places)
}

// Wake makes all points active again and brings their gradients up to date with alpha. Where ctx
// ends it in its midst, State holds those that are up to date as points that were left just now, so
// that to wake them costs nothing; until it has been called again, or Rebuild, no other gradients
// are of use.
func (gr *Gradient) Wake(ctx context.Context, alpha []float64) error {
	if gr.now == gr.all && gr.waking == nil {
		return nil
	}
	if gr.now != gr.all {
		active := gr.now.index
		if err := gr.drop(context.WithoutCancel(ctx), gr.now); err != nil {
			return err
		}
		gr.now, gr.waking, gr.sleepers = gr.all, active, gr.pieces()
		if err := gr.arith.widen(); err != nil {
			return err
		}
	}
	current := slices.Clone(alpha)
	for k := range gr.sleepers {
		if err := gr.catchUp(ctx, gr.sleepers[k], alpha); err != nil {
			return err
		}
		gr.sleepers[k].Alpha = current
	}
	gr.sleepers, gr.waking = nil, nil
	return nil
}

// CopiedShare is the largest part of the points that is copied at a time, where the solver leaves no larger one awake.
const CopiedShare = 0.6

// pieces cuts sleeping points into as many as may be copied at a time.
func (gr *Gradient) pieces() []Sleeper {
	var list []Sleeper
	for _, s := range gr.sleepers {
		for _, r := range cut(len(s.Index), max(int(CopiedShare*float64(gr.all.n)), 1)) {
			list = append(list, Sleeper{Index: s.Index[r[0]:r[1]], Alpha: s.Alpha})
		}
	}
	return list
}

// catchUp applies to sleeping points what has changed since they were left: all of it, or nothing.
// Rows on all points that are on disk serve them.
func (gr *Gradient) catchUp(ctx context.Context, s Sleeper, alpha []float64) error {
	var changed []int
	for i, a := range alpha {
		if a != s.Alpha[i] {
			changed = append(changed, i)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	change := func(i int) float64 { return alpha[i] - s.Alpha[i] }
	f, err := gr.part(ctx, s.Index)
	if err != nil {
		return err
	}
	err = gr.arith.narrow(f, s.Index)
	if err == nil {
		err = gr.apply(ctx, f, changed, change, nil)
	}
	if err != nil {
		gr.held -= f.held
		f.close()
		return err
	}
	if err := gr.drop(context.WithoutCancel(ctx), f); err != nil {
		return err
	}
	return gr.arith.widen()
}

// bulkRows is the number of changed points that one pass takes when many are applied.
const bulkRows = 512

// apply adds sum_i change(i) K_m(x_i, .) over the points of a list to the gradients of a field, and their part of the vector
// of the linear kernels to vector, if that is wanted. Where all kernels are linear one pass takes all of the list.
func (gr *Gradient) apply(ctx context.Context, f *field, list []int, change func(i int) float64, vector []float64) error {
	parts := cut(len(list), bulkRows)
	var carried []float64
	for k, r := range parts {
		s := gr.collect(list[r[0]:r[1]])
		for _, i := range s.index {
			s.delta = append(s.delta, change(i))
		}
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
		if err := gr.arith.pass(ctx, f, u); err != nil {
			return err
		}
	}
	return nil
}

// each visits the numbers of the field's points.
func (f *field) each() func(yield func(int32) bool) {
	return func(yield func(int32) bool) {
		for k := range f.n {
			i := int32(k)
			if f.index != nil {
				i = f.index[k]
			}
			if !yield(i) {
				return
			}
		}
	}
}
