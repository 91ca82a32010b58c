package gradient

import (
	"context"

	"bigmkl/internal/simd"
	"bigmkl/mmap"
)

// Gradients outlive their Gradient where rows come and go between trainings. Each of several classifiers
// then has gradients of its own on the same points, and whatever all of them need is computed once: a pass
// takes them as columns (columns.go), so a kernel value serves all classifiers.

// Held is the gradients of one vector of dual variables on some points, apart from their Gradient. Values
// are laid out as the values of that Gradient were.
type Held struct {
	State  State // all points active, and nothing cut
	Values []float64
	Alpha  []float64 // one for each point
}

// transfer makes gradients out of others, where rows come or go.
type transfer struct{ *holding }

// Forget takes the dual variables of the first few points out of gradients on the points of gr, which are
// all in one precision. These variables become 0. What is left of them need not sum to 0: no solver must use
// the gradients until others have made up for the sum. If ctx ends it in its midst, they must not be used at
// all. The gradients that gr itself holds are lost.
//
// It costs one row for each point that has a dual variable in any of them.
func (gr transfer) Forget(ctx context.Context, first int, of []*Held) error {
	if err := gr.Prepare(&of[0].State); err != nil {
		return err
	}
	if err := gr.use(of[0].State.Double); err != nil {
		return err
	}
	f, vector := *gr.all, []float64(nil)
	f.maps, f.apart = nil, nil
	for _, h := range of {
		f.apart, vector = append(f.apart, h.Values), append(vector, h.State.Sum...)
	}
	f.g = f.apart[0]
	change := func(column, i int) float64 { return -of[column].Alpha[i] }
	if err := (together{&gr.engine, len(of)}).apply(ctx, &f, supportOfAny(of, 0, first), change, vector); err != nil {
		return err
	}
	for c, h := range of {
		size := len(h.State.Sum)
		copy(h.State.Sum, vector[c*size:(c+1)*size])
		clear(h.Alpha[:first])
	}
	return nil
}

// Carry makes gradients on the points of gr out of gradients on other points, all in one precision and of the
// same kernels: the points of from, from point without on, are the first points here, in their order. Points
// behind them are new, with dual variables of 0. Points that are not carried over must have had dual variables
// of 0, too. take is called for each of from in turn, to fill as many numbers as Values has after Prepare; from[k]
// is not needed after that. Resume makes gr continue from one of them.
//
// It costs one value of every kernel for each new point and each point that has a dual variable in any of
// the gradients.
func (gr transfer) Carry(ctx context.Context, without int, from []*Held,
	take func(k int, fill func(values []float64)) error) error {
	if err := gr.Prepare(&from[0].State); err != nil {
		return err
	}
	if err := gr.use(from[0].State.Double); err != nil {
		return err
	}
	count, kernels := len(from[0].Alpha)-without, gr.bank.Len()
	fresh, err := together{&gr.engine, len(from)}.arrivals(ctx, count, from, without)
	if err != nil {
		return err
	}
	defer fresh.close()
	place := func(i int) int { return i/simd.Width*kernels*simd.Width + i%simd.Width }
	for c, h := range from {
		// Kernels of a point lie 32 numbers apart, and the points of a panel side by side. Points change their
		// panel and their lane unless a multiple of 32 is left out.
		err := take(c, func(to []float64) {
			for i := range count {
				copyLane(to[place(i):], h.Values[place(without+i):], kernels)
			}
			for k, i := range fresh.index {
				copyLane(to[place(int(i)):], fresh.column(c, len(from))[place(k):], kernels)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// arrivals returns the gradients of the points from number count on, a column for each of from.
func (gr together) arrivals(ctx context.Context, count int, from []*Held, without int) (*field, error) {
	index := make([]int32, gr.points.Len()-count)
	for k := range index {
		index[k] = int32(count + k)
	}
	f := gr.newField(len(index), index)
	if len(index) == 0 {
		return f, nil
	}
	file, err := mmap.Create(gr.opt.Scratch, "gradient-*",
		int64(f.panels)*int64(gr.bank.Len())*simd.Width*int64(len(from))*8)
	if err != nil {
		return nil, err
	}
	f.maps, f.g = append(f.maps, file), mmap.View[float64](file)
	change := func(column, i int) float64 { return from[column].Alpha[without+i] }
	if err := gr.apply(ctx, f, supportOfAny(from, without, count), change, nil); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// copyLane copies the gradients of one point.
func copyLane(to, from []float64, kernels int) {
	for at := 0; at < kernels*simd.Width; at += simd.Width {
		to[at] = from[at]
	}
}

// supportOfAny lists, of so many points from one on, those that have a dual variable in any of the gradients,
// ascending and counted from that point.
func supportOfAny(of []*Held, first, count int) []int {
	var list []int
	for i := range count {
		for _, h := range of {
			if h.Alpha[first+i] != 0 {
				list = append(list, i)
				break
			}
		}
	}
	return list
}
