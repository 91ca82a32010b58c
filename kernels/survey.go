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
	Sparse    bool      // the points are stored by their non-zeros; then, in both precisions,
	Square32  []float32 // |x|^2 of every point, with the bits that products have
	Square64  []float64
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
		s.Square32, s.Square64 = squares[float32](z, n), squares[float64](z, n)
	}
	for j := range d {
		mean := sum[j] / float64(n)
		s.Variance[j] = max(square[j]/float64(n)-mean*mean, 0)
	}
	return s, nil
}

// squares gives |x|^2 of sparse points.
func squares[T simd.Real](points Nonzeros, n int) []T {
	r := make([]T, n)
	var x []T
	for i := range r {
		_, value := points.Nonzeros(i)
		x = pad(x[:0], value)
		r[i] = simd.SparseSquare(x)
	}
	return r
}

// pad appends the values of a sparse point, and zeros to whole strands.
func pad[T simd.Real](x []T, value []float32) []T {
	for _, v := range value {
		x = append(x, T(v))
	}
	for range simd.Padded(len(value)) - len(value) {
		x = append(x, 0)
	}
	return x
}
