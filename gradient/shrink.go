package gradient

import (
	"context"
	"slices"
)

// Passes over the active points alone leave the gradients of the others behind. What these miss is
// the change of the dual variables since they fell asleep. It is applied at once when they wake: a
// point whose dual variable has changed a hundred times costs one row then.

// sleeping has the points that passes leave out.
type sleeping struct {
	engine
	sleepers []Sleeper
	// waking is the points that were active when a Wake that was cut began. It is nil if none was
	// cut.
	waking []int32
}

// wakeBlank makes all points active. The gradients must not be used until they have been computed
// again.
func (gr *sleeping) wakeBlank() error {
	gr.sleepers, gr.waking = nil, nil
	if gr.now == gr.all {
		return nil
	}
	f := gr.now
	gr.now = gr.all
	gr.held -= f.held
	return f.close()
}

// Shrink restricts passes to the points of active, ascending: a part of those that are active now,
// and not empty. alpha is the present vector.
//
// The active points are copied side by side, so a pass reads no memory of the others.
func (gr *sleeping) Shrink(ctx context.Context, active []int, alpha []float64) error {
	stay := make([]int32, len(active))
	for k, i := range active {
		stay[k] = int32(i)
	}
	// The dual variables of this moment are needed later to find what the points that are left
	// have missed.
	left := Sleeper{Alpha: slices.Clone(alpha)}
	places := make([]int32, 0, len(stay))
	k := int32(0)
	// Both lists are in ascending order and are merged: what is not to stay falls asleep.
	for i := range gr.now.numbers() {
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
	// Cached rows are cut to the points that stay.
	return gr.arith.narrow(f, places)
}

// Wake makes all points active again and brings their gradients up to date with alpha. If ctx ends
// it in its midst, State holds the points that are up to date as sleepers of this moment, so to
// wake them costs nothing. No other gradients are of use then until Wake or Rebuild has been
// called again.
func (gr *sleeping) Wake(ctx context.Context, alpha []float64) error {
	if gr.now == gr.all && gr.waking == nil {
		return nil
	}
	if gr.now != gr.all {
		active := gr.now.index
		if err := gr.drop(context.WithoutCancel(ctx), gr.now); err != nil {
			return err
		}
		// From here on the active points are up to date in the field of all points.
		gr.now, gr.waking, gr.sleepers = gr.all, active, pieces(gr.sleepers, gr.all.n)
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

// CopiedShare is the largest share of the points that is copied at a time, unless the solver
// leaves a larger one awake. Budgets of disk space count on it.
const CopiedShare = 0.6

// pieces cuts sleeping points, of n points in all, into parts that may be copied at a time.
func pieces(sleepers []Sleeper, n int) []Sleeper {
	var list []Sleeper
	for _, s := range sleepers {
		for _, r := range cut(len(s.Index), max(int(CopiedShare*float64(n)), 1)) {
			list = append(list, Sleeper{Index: s.Index[r[0]:r[1]], Alpha: s.Alpha})
		}
	}
	return list
}

// catchUp applies to sleeping points what has changed since they fell asleep: all of it, or
// nothing if ctx ends it. Rows on all points that are on disk serve them.
//
// The sleepers become the active points of one pass, which adds the merged change and does not
// combine.
func (gr *sleeping) catchUp(ctx context.Context, s Sleeper, alpha []float64) error {
	changed := s.moved(alpha)
	if len(changed) == 0 {
		return nil
	}
	f, err := gr.part(ctx, s.Index)
	if err != nil {
		return err
	}
	err = gr.arith.narrow(f, s.Index)
	if err == nil {
		err = gr.apply(ctx, f, changed, s.change(alpha), nil, nil)
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
