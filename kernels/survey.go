package kernels

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"bigmkl/internal/simd"
)

// Shape describes the points that a bank is built for, feature by feature.
type Shape struct {
	Features  int
	Shift     []float32 // what centring subtracts: the mean rounded to float32, or any other vector
	Deviation []float64 // largest (x_j - shift_j)^2
	Variance  []float64 // with n in the denominator
	Minimum   []float32 // the least value, or 0 if that is less
	Uncentred bool      // linear kernels are not centred: the dual variables sum to something else than 0
	Outline   bool      // the points are not known, nor what is here of features: banks say what they take at most, and compute nothing
	Sparse    bool      // the points are stored by their non-zeros; then, in both precisions,
	Square32  []float32 // |x|^2 of every point, with the bits that products have
	Square64  []float64
}

// surveyed is what is known of one feature while the points stream by.
type surveyed struct {
	sum, square float64 // of differences to the shift
	deviation   float64
	minimum     float32
	count       int32 // points that were seen
}

func (f *surveyed) add(x, shift float32) {
	v := float64(x) - float64(shift)
	f.sum += v
	f.square += float64(v * v)
	f.deviation = max(f.deviation, v*v)
	f.minimum = min(f.minimum, x)
	f.count++
}

// zeros counts in the points that were not seen.
func (f *surveyed) zeros(n int, shift float32) {
	if left := float64(n - int(f.count)); left > 0 {
		c := float64(shift)
		f.sum -= left * c
		f.square += left * float64(c*c)
		f.deviation = max(f.deviation, c*c)
	}
}

// Survey streams over the points once. shift: one value per feature. Sparse points give up their non-zeros only, so that
// their variances are summed in another order than those of dense ones; everything else has the same bits.
func Survey(ctx context.Context, points Points, shift []float32, threads int) (Shape, error) {
	n, d := points.Len(), points.Dim()
	s := Shape{Features: d, Shift: shift, Deviation: make([]float64, d), Variance: make([]float64, d), Minimum: make([]float32, d)}
	features := make([]surveyed, d)
	var err error
	if z, ok := nonzeros(points); ok {
		s.Sparse = true
		if err = surveyNonzeros(ctx, z, n, shift, features); err == nil {
			s.Square32, s.Square64 = squares[float32](z, n), squares[float64](z, n)
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

// finish takes what was found in n points.
func (s *Shape) finish(n int, features []surveyed) {
	for j := range features {
		f := &features[j]
		f.zeros(n, s.Shift[j])
		mean := f.sum / float64(n)
		s.Variance[j] = max(f.square/float64(n)-mean*mean, 0)
		s.Deviation[j], s.Minimum[j] = f.deviation, f.minimum
	}
}

// SurveySet is Survey for a set. Its points are known to a bank by their numbers.
func SurveySet(set *Set, shift []float32) Shape {
	d, n := set.Dim, len(set.IDs)
	s := Shape{Features: d, Sparse: set.Sparse, Shift: shift, Deviation: make([]float64, d), Variance: make([]float64, d), Minimum: make([]float32, d)}
	if n == 0 {
		return s
	}
	features := make([]surveyed, d)
	for i := range n {
		set.Each(i, func(j int, x float32) { features[j].add(x, shift[j]) })
	}
	s.finish(n, features)
	if set.Sparse {
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

// surveyPanels shares the features out, so that every sum runs over the points in order.
func surveyPanels(ctx context.Context, points Points, shift []float32, threads int, features []surveyed) error {
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

func surveyNonzeros(ctx context.Context, points Nonzeros, n int, shift []float32, features []surveyed) error {
	for i := range n {
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
