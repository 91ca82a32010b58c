package verify

import (
	"math"

	"bigmkl/kernelspec"
)

// zeroFrom is where exp(-x) is 0 in float64, denormal numbers included.
const zeroFrom = 746

// value is a kernel's value for the value of its base.
func value(k *kernelspec.Kernel, b float64) float64 {
	switch k.Kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare:
		return math.Exp(-k.Gamma * b)
	case kernelspec.Poly:
		return power(k.Gamma*b+k.Coef, k.Degree)
	case kernelspec.Sigmoid:
		return math.Tanh(k.Gamma*b + k.Coef)
	}
	return b
}

// power is x^d for d >= 1 by repeated squaring.
func power(x float64, d int) float64 {
	y := 1.0
	for ; d > 1; d >>= 1 {
		if d&1 != 0 {
			y *= x
		}
		x *= x
	}
	return y * x
}

// evaluate gives the values of a kernel for the bases b of a row with a tile of support vectors, of those from lo on that are listed.
// What has been asked for since the last call of turn is there. Exponentials have a loop of their own, for they take most of the time.
func (w *worker) evaluate(k *kernelspec.Kernel, b []float64, lo int, at []int32) []float64 {
	switch k.Kind {
	case kernelspec.Linear, kernelspec.Intersection, kernelspec.Precomputed, kernelspec.Spectrum, kernelspec.WeightedDegree, kernelspec.Product, kernelspec.User:
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

// turn forgets the values: those of another kernel or row are to come.
func (w *worker) turn() { w.now++ }

// weighted adds sum_s alpha_s root_s k_s over the listed support vectors of a tile from lo on to a sum, and gives the same sum of
// absolute values: rounding of the terms is in proportion to it. What rounding of the sum itself loses is kept: where a kernel is
// nearly constant the terms cancel down to a small part of what their partial sums come to. roots are 1 if nil.
func weighted(to *neumaier, values []float64, lo int, at []int32, alpha, roots []float64) (size float64) {
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
		size += math.Abs(term)
	}
	to.s, to.c = sum, lost
	return size
}

// rootInverse is 1/sqrt(k(x,x)), the factor of spherical normalisation, for the base of x with itself; 0 where the diagonal
// is not positive.
func rootInverse(k *kernelspec.Kernel, self float64) float64 {
	if d := value(k, self); d > 0 {
		return 1 / math.Sqrt(d)
	}
	return 0
}
