package gradient

import (
	"context"
	"slices"
)

// Rouse makes some of the points that sleep active again, which are given in ascending order, and
// brings their gradients up to date with alpha. It takes a row on these points for every dual
// variable that has changed since they fell asleep. If ctx ends it, nothing has changed.
func (gr *sleeping) Rouse(ctx context.Context, points []int, alpha []float64) error {
	// Everything is computed before anything is changed.
	roused, left, err := gr.bringUpToDate(ctx, points, alpha)
	if err != nil {
		return err
	}
	// From here on memory is copied, which no context cuts.
	ctx = context.WithoutCancel(ctx)
	active := slices.Clone(gr.now.index)
	for _, f := range roused {
		active = append(active, f.index...)
		if err := gr.drop(ctx, f); err != nil {
			return err
		}
	}
	if err := gr.drop(ctx, gr.now); err != nil {
		return err
	}
	gr.now = gr.all
	// Cached rows cover the points that were active. Rows on disk are whole, and serve on.
	if err := gr.arith.widen(); err != nil {
		return err
	}
	slices.Sort(active)
	f, err := gr.part(ctx, active)
	if err != nil {
		return err
	}
	gr.now, gr.sleepers = f, left
	return gr.arith.narrow(f, active)
}

// bringUpToDate returns copies of the listed sleeping points, with their gradients at alpha, and
// the sleepers that are left.
func (gr *sleeping) bringUpToDate(ctx context.Context, points []int, alpha []float64) (
	roused []*field, left []Sleeper, err error) {
	// Copies that an error leaves over are given up, and their memory with them.
	defer func() {
		if err == nil {
			return
		}
		for _, f := range roused {
			gr.held -= f.held
			f.close()
		}
	}()
	// Points that fell asleep together have missed the same change, so one pass serves them.
	for k := range gr.sleepers {
		s := &gr.sleepers[k]
		stay := Sleeper{Alpha: s.Alpha}
		var wake []int32
		for _, i := range s.Index {
			if _, found := slices.BinarySearch(points, int(i)); found {
				wake = append(wake, i)
			} else {
				stay.Index = append(stay.Index, i)
			}
		}
		if stay.Index != nil {
			left = append(left, stay)
		}
		if wake == nil {
			continue
		}
		f, err := gr.part(ctx, wake)
		if err != nil {
			return roused, nil, err
		}
		roused = append(roused, f)
		if err := gr.apply(ctx, f, s.moved(alpha), s.change(alpha), nil, nil); err != nil {
			return roused, nil, err
		}
	}
	return roused, left, nil
}

// moved lists the points whose dual variables have changed since the points fell asleep. One that
// has come back to its old value costs nothing.
func (s *Sleeper) moved(alpha []float64) []int {
	var list []int
	for i, a := range alpha {
		if a != s.Alpha[i] {
			list = append(list, i)
		}
	}
	return list
}

// change returns by how much the dual variable of a point has changed since then.
func (s *Sleeper) change(alpha []float64) func(i int) float64 {
	return func(i int) float64 { return alpha[i] - s.Alpha[i] }
}
