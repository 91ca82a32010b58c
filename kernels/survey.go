package kernels

import (
	"context"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// Shape describes the points that a bank is built for, feature by feature.
type Shape struct {
	Features  int
	Shift     []float32 // what centring subtracts: the mean rounded to float32, or any other vector
	Deviation []float64 // largest (x_j - shift_j)^2
	Variance  []float64 // with n in the denominator
	Minimum   []float32
	Sparse    bool    // the points are stored by their non-zeros
	Square    float64 // largest |x|^2, of sparse points
}

// Survey streams over the points once. shift: one value per feature.
func Survey(ctx context.Context, points Points, shift []float32, threads int) (Shape, error) {
	d := points.Dim()
	s := Shape{Features: d, Sparse: IsSparse(points), Shift: shift, Deviation: make([]float64, d), Variance: make([]float64, d), Minimum: make([]float32, d)}
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
	if z, ok := nonzeros(points); ok {
		for i := range n {
			_, value := z.Nonzeros(i)
			length := 0.0
			for _, v := range value {
				length += float64(v) * float64(v)
			}
			s.Square = max(s.Square, length)
		}
	}
	for j := range d {
		mean := sum[j] / float64(n)
		s.Variance[j] = max(square[j]/float64(n)-mean*mean, 0)
	}
	return s, nil
}
