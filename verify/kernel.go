package verify

import (
	"math"

	"bigmkl/internal/spec"
)

// zeroFrom is where exp(-x) is 0 in float64, denormal numbers included.
const zeroFrom = 746

// value is a kernel's value for the value of its base.
func value(k *spec.Kernel, b float64) float64 {
	switch k.Kind {
	case spec.Gauss, spec.Laplace, spec.ChiSquare:
		return math.Exp(-k.Gamma * b)
	case spec.Poly:
		return power(k.Gamma*b+k.Coef, k.Degree)
	case spec.Sigmoid:
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

// weighted is sum_s w_s k(b_s), and size the same sum of absolute values: rounding of the sum is in proportion to it.
// Exponentials have a loop of their own, for they take most of the time.
func weighted(k *spec.Kernel, b, w []float64) (sum, size float64) {
	w = w[:len(b)]
	switch k.Kind {
	case spec.Gauss, spec.Laplace, spec.ChiSquare:
		gamma := k.Gamma
		for s, v := range b {
			if x := gamma * v; !(x > zeroFrom) { // NaN is to get through
				term := w[s] * math.Exp(-x)
				sum += term
				size += math.Abs(term)
			}
		}
	case spec.Linear, spec.Intersection, spec.Precomputed, spec.Spectrum, spec.WeightedDegree:
		for s, v := range b {
			sum += w[s] * v
			size += math.Abs(w[s] * v)
		}
	default:
		for s, v := range b {
			term := w[s] * value(k, v)
			sum += term
			size += math.Abs(term)
		}
	}
	return sum, size
}

// rootInverse is 1/sqrt(k(x,x)), the factor of spherical normalisation, for the base of x with itself; 0 where the diagonal
// is not positive.
func rootInverse(k *spec.Kernel, self float64) float64 {
	if d := value(k, self); d > 0 {
		return 1 / math.Sqrt(d)
	}
	return 0
}
