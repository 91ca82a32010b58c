package kernels

import (
	"context"
	"math"
	"slices"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// A Gaussian exp(-gamma d^2) distinguishes points only if gamma suits their distances. The usual
// start is the inverse of the median squared distance, which is found here from all pairs of a
// sample, for the distance that each kind of kernel is a function of.

// medians gives median and mean distances between the points of a sample.
type medians struct {
	points Points
	sample []int32
}

const (
	medianSample   = 512 // points; all their pairs are taken
	medianFeatures = 256 // features of dense points that are gathered at a time
)

// newMedians draws the sample, which the seed decides.
func newMedians(points Points, seed uint64) *medians {
	n := points.Len()
	return &medians{points: points, sample: draw(n, min(n, medianSample), seed)}
}

// distance is the median over pairs of the distance that the kind is a function of. For Gaussians
// that is the squared distance. A nil set means all features. The result is 0 if there are no
// pairs.
//
// The features are the features of scaled points, and all terms are float64.
func (m *medians) distance(ctx context.Context, set []int32,
	kind kernelspec.Kind) (float64, error) {
	all, err := m.pairs(ctx, set, kind)
	if err != nil || len(all) == 0 {
		return 0, err
	}
	return nth(all, len(all)/2), nil
}

// mean is the mean over pairs of the same distance.
func (m *medians) mean(ctx context.Context, set []int32, kind kernelspec.Kind) (float64, error) {
	all, err := m.pairs(ctx, set, kind)
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	return sum / float64(max(len(all), 1)), err
}

// pairs returns the distances of all pairs of the sample.
func (m *medians) pairs(ctx context.Context, set []int32, kind kernelspec.Kind) ([]float64, error) {
	n := len(m.sample)
	all := make([]float64, n*(n-1)/2)
	// Points are float32 and distances float64.
	if z, ok := nonzeros(m.points); ok {
		return all, m.sparse(ctx, all, z, set, kind)
	}
	return all, m.dense(ctx, all, set, kind)
}

// dense adds the terms of some features at a time to every distance.
func (m *medians) dense(ctx context.Context, all []float64, set []int32,
	kind kernelspec.Kind) error {
	count := len(set)
	if set == nil {
		count = m.points.Dim()
	}
	// 512 points of 256 features take 1 MiB, which the second-level cache holds.
	part := make([]float64, len(m.sample)*min(count, medianFeatures))
	for from := 0; from < count; from += medianFeatures {
		if err := ctx.Err(); err != nil {
			return err
		}
		k := min(medianFeatures, count-from)
		for i, id := range m.sample {
			panel, lane := m.points.Panel(int(id)/simd.Width), int(id)%simd.Width
			for f := range k {
				j := from + f
				if set != nil {
					j = int(set[j])
				}
				part[i*k+f] = float64(panel[j*simd.Width+lane])
			}
		}
		at := 0
		for i := range m.sample {
			x := part[i*k : (i+1)*k]
			for j := range i {
				all[at] = distance(all[at], x, part[j*k:(j+1)*k], kind)
				at++
			}
		}
	}
	return nil
}

// sparse merges the non-zeros of every pair. The terms that it leaves out are zero.
//
// Points of the sample are float32 and few, so their non-zeros stay in the cache.
func (m *medians) sparse(ctx context.Context, all []float64, points Nonzeros, set []int32,
	kind kernelspec.Kind) error {
	index, value := make([][]int32, len(m.sample)), make([][]float32, len(m.sample))
	at := 0
	for i, id := range m.sample {
		if err := ctx.Err(); err != nil {
			return err
		}
		index[i], value[i] = points.Nonzeros(int(id))
		if set != nil {
			index[i], value[i] = within(set, index[i], value[i])
		}
		for j := range i {
			all[at] = merged(index[i], value[i], index[j], value[j], kind)
			at++
		}
	}
	return nil
}

// within copies the non-zeros that are in a set of features.
func within(set, index []int32, value []float32) (in []int32, x []float32) {
	for e, j := range index {
		if _, ok := slices.BinarySearch(set, j); ok {
			in, x = append(in, j), append(x, value[e])
		}
	}
	return in, x
}

// merged is the distance of two sparse points.
func merged(xi []int32, xv []float32, zi []int32, zv []float32, kind kernelspec.Kind) float64 {
	s, e := 0.0, 0
	for k, j := range xi {
		// Features that only z has come before those of x.
		for e < len(zi) && zi[e] < j {
			s += term(0, float64(zv[e]), kind)
			e++
		}
		b := 0.0
		if e < len(zi) && zi[e] == j {
			b = float64(zv[e])
			e++
		}
		s += term(float64(xv[k]), b, kind)
	}
	for _, b := range zv[e:] {
		s += term(0, float64(b), kind)
	}
	return s
}

// distance adds the terms of some features to s.
func distance(s float64, x, z []float64, kind kernelspec.Kind) float64 {
	for i, a := range x {
		s += term(a, z[i], kind)
	}
	return s
}

// term is what one feature adds to a distance.
func term(a, b float64, kind kernelspec.Kind) float64 {
	switch kind {
	case kernelspec.Laplace:
		return math.Abs(a - b)
	case kernelspec.ChiSquare:
		if a+b == 0 {
			return 0
		}
		return (a - b) * (a - b) / (a + b)
	}
	return float64((a - b) * (a - b))
}

// nth is the element that would be at place k if x were sorted. It reorders x (Hoare's
// quickselect).
func nth(x []float64, k int) float64 {
	for low, high := 0, len(x)-1; low < high; {
		// The middle element is a good pivot for lists that are in order already.
		pivot := x[(low+high)/2]
		i, j := low, high
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return x[k]
		}
	}
	return x[k]
}
