package kernels

import (
	"context"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// Points is a set of n points of d scaled features, as panels ([d][32] float32, padded with zeros) and as rows. Panel may
// fill the buffer that it is handed, one of PanelBuffer, or return memory of its own.
type Points interface {
	Len() int
	Dim() int
	Panel(p int, buf []float32) []float32
	Row(i int, dst []float32)
}

// PanelBuffer is what one goroutine hands to Panel: room for a panel if the points are stored sparsely, otherwise nil.
func PanelBuffer(points Points) []float32 {
	if s, ok := points.(interface{ Sparse() bool }); ok && s.Sparse() {
		return make([]float32, points.Dim()*simd.Width)
	}
	return nil
}

// Shape describes the points that a bank is built for, feature by feature.
type Shape struct {
	Features  int
	Shift     []float32 // what centring subtracts: the mean rounded to float32, or any other vector
	Deviation []float64 // largest (x_j - shift_j)^2
	Variance  []float64 // with n in the denominator
	Minimum   []float32
}

// Survey streams over the points once. shift: one value per feature.
func Survey(ctx context.Context, points Points, shift []float32, threads int) (Shape, error) {
	d := points.Dim()
	s := Shape{Features: d, Shift: shift, Deviation: make([]float64, d), Variance: make([]float64, d), Minimum: make([]float32, d)}
	n := points.Len()
	panels := (n + simd.Width - 1) / simd.Width
	sum, square := make([]float64, d), make([]float64, d)
	// The features are shared out, so that every sum runs over the points in order.
	group, ctx := errgroup.WithContext(ctx)
	threads = max(1, min(threads, d))
	for t := range threads {
		from, to := t*d/threads, (t+1)*d/threads
		group.Go(func() error {
			buf := PanelBuffer(points)
			for p := range panels {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				panel, lanes := points.Panel(p, buf), min(simd.Width, n-p*simd.Width)
				for j := from; j < to; j++ {
					c := float64(shift[j])
					for _, x := range panel[j*simd.Width : j*simd.Width+lanes] {
						v := float64(x) - c
						sum[j] += v
						square[j] += v * v
						s.Deviation[j] = max(s.Deviation[j], v*v)
						s.Minimum[j] = min(s.Minimum[j], x)
					}
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return Shape{}, err
	}
	for j := range d {
		mean := sum[j] / float64(n)
		s.Variance[j] = max(square[j]/float64(n)-mean*mean, 0)
	}
	return s, nil
}
