package gradient

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// workingSet is the points of a working set with their features.
type workingSet struct {
	index  []int
	points *kernels.Set
	delta  []float64 // change of the dual variables, nil if none
}

// collect fetches the features of the points of a set.
func (gr *Gradient) collect(set []int) *workingSet {
	s := &workingSet{index: slices.Clone(set), points: &kernels.Set{}}
	ids := make([]int32, len(set))
	for k, i := range set {
		ids[k] = int32(i)
	}
	s.points.Gather(gr.points, ids)
	return s
}

// gather is collect, but keeps the last set: one iteration asks for it three times, and fetching costs a cache line a
// feature.
func (gr *Gradient) gather(set []int) *workingSet {
	if gr.last == nil || !slices.Equal(set, gr.last.index) {
		gr.last = gr.collect(set)
	}
	return gr.last
}

// changed gives the points of the set whose delta is not zero, with it.
func (s *workingSet) changed(delta []float64) *workingSet {
	if !slices.Contains(delta, 0) {
		return &workingSet{index: s.index, points: s.points, delta: delta}
	}
	r := &workingSet{points: &kernels.Set{}}
	var places []int
	for i, x := range delta {
		if x != 0 {
			places = append(places, i)
			r.delta, r.index = append(r.delta, x), append(r.index, s.index[i])
		}
	}
	r.points.Select(s.points, places)
	return r
}

// panels is the number of panels that the set makes.
func (s *workingSet) panels() int { return panelsOf(len(s.index)) }

func panelsOf(n int) int { return (n + simd.Width - 1) / simd.Width }

// support lists the points with a dual variable that is not 0.
func support(alpha []float64) []int {
	var r []int
	for i, a := range alpha {
		if a != 0 {
			r = append(r, i)
		}
	}
	return r
}

// balanced lists the support vectors in an order in which the sum of alpha stays near 0 on the way. Where a kernel is nearly
// constant, the terms of sum_i alpha_i k(x_i, x) cancel, and rounding is in proportion to what the sum comes to on the way: much
// where the points of one class come first.
func balanced(alpha []float64) []int {
	var signs [2][]int // of negative dual variables, of positive ones
	for _, i := range support(alpha) {
		k := 0
		if alpha[i] > 0 {
			k = 1
		}
		signs[k] = append(signs[k], i)
	}
	order, sum := make([]int, 0, len(signs[0])+len(signs[1])), 0.0
	for len(order) < cap(order) {
		k := 0
		if len(signs[0]) == 0 || sum <= 0 && len(signs[1]) > 0 {
			k = 1
		}
		i := signs[k][0]
		signs[k] = signs[k][1:]
		order, sum = append(order, i), sum+alpha[i]
	}
	return order
}

// each runs f for items 0..n-1 on the threads; worker numbers are below threads.
func each(ctx context.Context, threads, n int, f func(worker, item int) error) error {
	threads = max(1, min(threads, n))
	if threads == 1 { // handing items over takes longer than small ones do
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(0, i); err != nil {
				return err
			}
		}
		return nil
	}
	group, ctx := errgroup.WithContext(ctx)
	next := make(chan int)
	group.Go(func() error {
		defer close(next)
		for i := range n {
			select {
			case next <- i:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	for w := range threads {
		group.Go(func() error {
			for i := range next {
				if err := f(w, i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}
