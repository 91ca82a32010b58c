package verify

import "math"

// This file holds what a classifier keeps of its linear kernels.

// linearPart evaluates the linear kernels of a classifier without its support vectors. With the
// vector v = sum_s alpha_s x_s of d numbers, g_m(x) = <v, x> and V_m = |v|^2, each over the
// features of kernel m.
//
// That is faster, and more precise where it matters: alpha'K alpha has lost half of its digits
// where v is small, and for p > 2 a small V_m gives a large weight. The points are centred at the
// mean of the support vectors, which keeps the digits of features with a large mean and changes
// no value, because the dual variables sum to 0.
type linearPart struct {
	vector  []float64 // v
	sizes   []float64 // the sums of the absolute values of its terms
	squares []float64 // the sums of their squares
	weight  []float64 // of each feature, the sum of theta_m and the factor of the kernels that use it
}

// bytesOfFeature is the memory of a linearPart for each feature: four numbers here, and the
// compensated sum of two numbers while v is added up.
const bytesOfFeature = 6 * 8

// addTo adds the linear kernels of the classifier at the point x, sum_m theta_m <v, x>, to f. It
// returns the sum of the absolute values of the terms, where those of v and of x around the mean
// are taken apart.
func (l *linearPart) addTo(f *neumaier, x []float32, mean []float64) (size float64) {
	for j, weight := range l.weight {
		if weight != 0 {
			f.add(weight * l.vector[j] * float64(x[j]))
			size += weight * l.sizes[j] * math.Abs(float64(x[j])-mean[j])
		}
	}
	return size
}
