package verify

import (
	"math"

	"bigmkl/internal/kernelspec"
)

// kernelValues holds the values of one kernel for one row and the support vectors of a tile.
// Several classifiers ask for overlapping sets of them; what one has asked for is there for the
// next.
type kernelValues struct {
	values [tile]float64
	known  [tile]uint64 // values[i] is valid if known[i] equals now
	now    uint64       // counts the pairs of kernel and row
}

// evaluate returns values of the kernel k for the bases b of a row with a tile of support
// vectors: those listed in at, which count from all support vectors, the first of the tile being
// lo. Other elements of the result have any value. Exponentials have a loop of their own because
// they take most of the time; NaN passes through it. Of a wide kernel the values come from
// valueLess.
func (w *kernelValues) evaluate(k *kernelspec.Kernel, wide bool, b []float64, lo int,
	at []int32) []float64 {
	if isBase(k) {
		return b
	}
	if wide {
		for _, s := range at {
			if i := int(s) - lo; w.known[i] != w.now {
				w.known[i], w.values[i] = w.now, valueLess(k, b[i], true)
			}
		}
		return w.values[:]
	}
	switch k.Kind {
	case kernelspec.Linear, kernelspec.Intersection, kernelspec.Precomputed, kernelspec.Spectrum,
		kernelspec.WeightedDegree, kernelspec.Product, kernelspec.User, kernelspec.Pairwise:
		return b
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare:
		for _, s := range at {
			i := int(s) - lo
			if w.known[i] == w.now {
				continue
			}
			w.known[i], w.values[i] = w.now, 0
			if x := k.Gamma * b[i]; !(x > zeroFrom) { // NaN is to get through
				w.values[i] = math.Exp(-x)
			}
		}
	default:
		for _, s := range at {
			if i := int(s) - lo; w.known[i] != w.now {
				w.known[i], w.values[i] = w.now, value(k, b[i])
			}
		}
	}
	return w.values[:]
}

// forget makes all values unknown. It has to be called before the kernel or the row changes.
func (w *kernelValues) forget() { w.now++ }

// This file evaluates kernels on a tile, and sums what they give.

// zeroFrom is the least integer x for which exp(-x) is 0 in float64, denormal numbers included.
const zeroFrom = 746

// addWeighted adds sum_s alpha_s root_s k_s over the support vectors listed in at to the sum to.
// The list counts from all support vectors, values and roots from lo; alpha has an element for
// each in the list; roots are 1 if nil.
//
// It returns the sum of the absolute values of the terms of the kernels themselves, which have less
// more than the values, to which rounding of the terms is in proportion. The errors of the sum
// itself are kept in its compensation, by Knuth's two-sum: where a kernel is nearly constant the
// terms cancel, down to a small part of their partial sums.
func addWeighted(to *neumaier, values []float64, less float64, lo int, at []int32,
	alpha, roots []float64) (size float64) {
	sum, lost := to.s, to.c
	for i, s := range at {
		weight := alpha[i]
		if roots != nil {
			weight *= roots[int(s)-lo]
		}
		term := weight * values[int(s)-lo]
		next := sum + term
		part := next - sum // of term that has arrived, whichever is larger (Knuth's two-sum)
		lost += (sum - (next - part)) + (term - part)
		sum = next
		size += math.Abs(weight * (values[int(s)-lo] + less))
	}
	to.s, to.c = sum, lost
	return size
}
