package gradient

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// workingSet is the points of a working set with their features.
type workingSet struct {
	index  []int
	ids    []int32
	points []float32 // q x d, row-major
	delta  []float64 // change of the dual variables, nil if none
}

// collect fetches the features of the points of a set.
func (gr *Gradient) collect(ctx context.Context, set []int) (*workingSet, error) {
	d := gr.points.Dim()
	s := &workingSet{index: slices.Clone(set), ids: make([]int32, len(set)), points: make([]float32, len(set)*d)}
	err := each(ctx, gr.opt.Threads, len(set), func(_, i int) error {
		s.ids[i] = int32(set[i])
		gr.points.Row(set[i], s.points[i*d:(i+1)*d])
		return nil
	})
	return s, err
}

// gather is collect with the changes of the dual variables; points whose delta is zero are left out. The features of the
// last full set are kept, because one iteration asks for them three times and fetching them costs a cache line a feature.
func (gr *Gradient) gather(ctx context.Context, set []int, delta []float64) (*workingSet, error) {
	if gr.last == nil || !slices.Equal(set, gr.last.index) {
		var err error
		if gr.last, err = gr.collect(ctx, set); err != nil {
			return nil, err
		}
	}
	all, d := gr.last, gr.points.Dim()
	if !slices.Contains(delta, 0) {
		return &workingSet{delta: delta, index: all.index, ids: all.ids, points: all.points}, nil
	}
	s := &workingSet{}
	for i, x := range delta {
		if x != 0 {
			s.delta = append(s.delta, x)
			s.index = append(s.index, all.index[i])
			s.ids = append(s.ids, all.ids[i])
			s.points = append(s.points, all.points[i*d:(i+1)*d]...)
		}
	}
	return s, nil
}

// panel copies points from..from+31 of the set as columns: [d][32], padded with zeros.
func (s *workingSet) panel(dst []float32, from, d int) {
	clear(dst)
	for j := range min(simd.Width, len(s.ids)-from) {
		for f, v := range s.points[(from+j)*d : (from+j+1)*d] {
			dst[f*simd.Width+j] = v
		}
	}
}

// panels copies the whole set as columns: panels one after the other.
func (s *workingSet) panels(d int) []float32 {
	size := d * simd.Width
	r := make([]float32, (len(s.ids)+simd.Width-1)/simd.Width*size)
	for p := range len(r) / max(size, 1) {
		s.panel(r[p*size:(p+1)*size], p*simd.Width, d)
	}
	return r
}

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

// square is a symmetric matrix stored in whole blocks of 32; only blocks on and above the diagonal are filled until copyTo.
type square struct {
	side int
	at   []float64
}

func newSquare(q int) *square {
	side := (q + simd.Width - 1) / simd.Width * simd.Width
	return &square{side: side, at: make([]float64, side*side)}
}

// copyTo mirrors the upper blocks and writes the leading q x q part to h.
func (s *square) copyTo(h []float64, q int) {
	for i := range q {
		copy(h[i*q+i:(i+1)*q], s.at[i*s.side+i:i*s.side+q])
		for j := range i {
			h[i*q+j] = h[j*q+i]
		}
	}
}

// each runs f for items 0..n-1 on the threads; worker numbers are below threads.
func each(ctx context.Context, threads, n int, f func(worker, item int) error) error {
	threads = max(1, min(threads, n))
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
