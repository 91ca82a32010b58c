package verify

import (
	"math"

	"bigmkl/internal/kernelspec"
)

// This file evaluates kernels at their bases.

// value returns the value of the kernel k at the base b.
func value(k *kernelspec.Kernel, b float64) float64 {
	if isBase(k) {
		return b
	}
	switch k.Kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare:
		return math.Exp(-k.Gamma * b)
	case kernelspec.Poly:
		return power(k.Gamma*b+k.Coef, k.Degree)
	case kernelspec.Sigmoid:
		return math.Tanh(k.Gamma*b + k.Coef)
	case kernelspec.Matern:
		s := math.Sqrt(float64(2*k.Degree+1) * k.Gamma * b)
		return (1 + s + float64(k.Degree-1)*s*s/3) * math.Exp(-s)
	}
	return b
}

// power returns x^d for d >= 1, by repeated squaring.
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

// rootInverse returns 1/sqrt(k(x,x)), the factor of x under the spherical normalisation, where
// self is the base of x with itself. It is 0 where k(x,x) is not positive: such a point is taken
// for the origin of the feature space.
func rootInverse(k *kernelspec.Kernel, self float64) float64 {
	if d := value(k, self); d > 0 {
		return 1 / math.Sqrt(d)
	}
	return 0
}
