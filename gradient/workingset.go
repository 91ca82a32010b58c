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
