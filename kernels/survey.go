package kernels

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// A bank has to know the points before it can be built: the mean of each feature, by which they
// are centred, how far they spread, and whether any is negative. One pass over the points finds
// all of it.

// Shape describes the points that a bank is built for, feature by feature.
type Shape struct {
	Features  int
	Shift     []float32 // what centring subtracts: the mean rounded to float32, or any other vector
	Deviation []float64 // largest (x_j - shift_j)^2
	Variance  []float64 // with n in the denominator
	Minimum   []float32 // least value, or 0 if that is less

	// Uncentred means that linear kernels are not centred: the dual variables sum to something
	// other than 0, so centring would change the problem.
	Uncentred bool

	// Lookups is not nil if points have the numbers of objects in place of features.
	Lookups *Lookups

	// Outline means that neither the points nor the facts about features in this survey are
	// known. A bank then states what it takes at most, and computes nothing.
	Outline bool

	// Sparse means that the points are stored by their non-zeros. The squared norm of every point
	// is then given in both precisions, with the bits that sparse products have.
	Sparse   bool
	Square32 []float32
	Square64 []float64
}

// Survey streams over the points once. shift has one value for each feature. Sparse points give
// only their non-zeros, so their variances are summed in another order than the variances of
// dense points; everything else has the same bits for both, and for any number of threads.
//
// An error is the context's.
func Survey(ctx context.Context, points Points, shift []float32, threads int) (Shape, error) {
	n, d := points.Len(), points.Dim()
	s := newShape(d, shift)
	features := make([]surveyed, d)
	var err error
	if z, ok := nonzeros(points); ok {
		s.Sparse = true
		if err = surveyNonzeros(ctx, z, n, shift, features); err == nil {
			s.Square32, s.Square64 = squaredNorms[float32](z, n), squaredNorms[float64](z, n)
		}
	} else {
		err = surveyPanels(ctx, points, shift, threads, features)
	}
	if err != nil {
		return Shape{}, err
	}
	s.finish(n, features)
	return s, nil
}

// SurveySet is Survey for a set. A bank looks its points up by their numbers.
func SurveySet(set *Set, shift []float32) Shape {
	d, n := set.Dim, len(set.IDs)
	s := newShape(d, shift)
	s.Sparse = set.Sparse
	if n == 0 {
		return s
	}
	features := make([]surveyed, d)
	for i := range n {
		set.Each(i, func(j int, x float32) { features[j].add(x, shift[j]) })
	}
	s.finish(n, features)
	if set.Sparse {
		// The norms are looked up by the numbers of the points, which may have gaps.
		most := int(slices.Max(set.IDs))
		s.Square32, s.Square64 = make([]float32, most+1), make([]float64, most+1)
		var x32 []float32
		var x64 []float64
		for i, id := range set.IDs {
			x32, x64 = pad(x32[:0], set.Value[i]), pad(x64[:0], set.Value[i])
			s.Square32[id], s.Square64[id] = simd.SparseSquare(x32), simd.SparseSquare(x64)
		}
	}
	return s
}

// newShape returns the shape of no points of d features.
func newShape(d int, shift []float32) Shape {
	return Shape{
		Features: d, Shift: shift,
		Deviation: make([]float64, d), Variance: make([]float64, d), Minimum: make([]float32, d),
	}
}

// finish sets the shape to what was found in n points.
func (s *Shape) finish(n int, features []surveyed) {
	for j := range features {
		f := &features[j]
		f.zeros(n, s.Shift[j])
		// The mean is the mean of the differences to the shift, so the subtraction cancels
		// little.
		mean := f.sum / float64(n)
		s.Variance[j] = max(f.square/float64(n)-mean*mean, 0)
		s.Deviation[j], s.Minimum[j] = f.deviation, f.minimum
	}
}

// surveyPanels shares the features out to the threads, so every sum runs over the points in
// order.
func surveyPanels(ctx context.Context, points Points, shift []float32, threads int,
	features []surveyed) error {
	n, d := points.Len(), points.Dim()
	group, ctx := errgroup.WithContext(ctx)
	threads = max(1, min(threads, d))
	for t := range threads {
		from, to := t*d/threads, (t+1)*d/threads
		group.Go(func() error {
			for p := 0; p*simd.Width < n; p++ {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				panel, lanes := points.Panel(p), min(simd.Width, n-p*simd.Width)
				for j := from; j < to; j++ {
					// The sums are kept in a local variable, and so in registers, while the 32
					// points of the panel pass.
					f, c := features[j], shift[j]
					for _, x := range panel[j*simd.Width : j*simd.Width+lanes] {
						f.add(x, c)
					}
					features[j] = f
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// surveyNonzeros adds the non-zeros of the points in order.
func surveyNonzeros(ctx context.Context, points Nonzeros, n int, shift []float32,
	features []surveyed) error {
	for i := range n {
		// A look at the context for every point would cost more than the point.
		if i%simd.Width == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		index, value := points.Nonzeros(i)
		for e, j := range index {
			features[j].add(value[e], shift[j])
		}
	}
	return nil
}

// squaredNorms returns |x|^2 of sparse points, summed as sparse products are.
func squaredNorms[T simd.Real](points Nonzeros, n int) []T {
	r := make([]T, n)
	var x []T
	for i := range r {
		_, value := points.Nonzeros(i)
		x = pad(x[:0], value)
		r[i] = simd.SparseSquare(x)
	}
	return r
}

// surveyed is what is known of one feature while the points stream by. Sums are over differences
// to the shift, which lies near the mean, so the variance does not cancel.
type surveyed struct {
	sum, square float64
	deviation   float64
	minimum     float32
	count       int32 // points that were seen
}

// add takes in the value of one point.
func (f *surveyed) add(x, shift float32) {
	v := float64(x) - float64(shift)
	f.sum += v
	// The conversion keeps the product from being fused with the sum.
	f.square += float64(v * v)
	f.deviation = max(f.deviation, v*v)
	f.minimum = min(f.minimum, x)
	f.count++
}

// zeros takes in those of n points that were not seen, which are zero.
func (f *surveyed) zeros(n int, shift float32) {
	// A zero differs from the shift by as much as the shift is.
	if left := float64(n - int(f.count)); left > 0 {
		c := float64(shift)
		f.sum -= left * c
		f.square += left * float64(c*c)
		f.deviation = max(f.deviation, c*c)
	}
}
