package verify

import (
	"math"

	"bigmkl/internal/kernelspec"
)

// This file evaluates kernels at their bases: a kernel, and a kernel less its constant.

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
		return matern(k, b)
	}
	return b
}

// constantOf is what valueLess leaves out of a kernel: its value where nothing is multiplied by gamma.
func constantOf(k *kernelspec.Kernel) float64 {
	switch k.Kind {
	case kernelspec.Poly:
		return power(k.Coef, k.Degree)
	case kernelspec.Sigmoid:
		return math.Tanh(k.Coef)
	}
	return 1
}

// valueLess is value, or that less the constant.
func valueLess(k *kernelspec.Kernel, b float64, less bool) float64 {
	if !less {
		return value(k, b)
	}
	switch k.Kind {
	case kernelspec.Poly:
		// (c + gamma b)^d = c^d exp(d log(1 + u)). Products far from the mean have all of their digits.
		if u := k.Gamma * b / k.Coef; math.Abs(u) < 0.5 {
			return constantOf(k) * math.Expm1(float64(k.Degree)*math.Log1p(u))
		}
		return value(k, b) - constantOf(k)
	case kernelspec.Sigmoid:
		return tanhDifference(k.Gamma*b, k.Coef)
	case kernelspec.Matern:
		return maternDifference(k, b)
	}
	return math.Expm1(-k.Gamma * b)
}

// slope bounds the derivative of a function of the squared distance, relative to its value.
func slope(k *kernelspec.Kernel) float64 {
	if k.Kind == kernelspec.Matern {
		return maternSlope(k)
	}
	return k.Gamma
}

// tanhDifference returns tanh(u + c) - tanh(c) = sinh(u) / (cosh(u + c) cosh(c)). For a large u the difference itself has
// its digits.
func tanhDifference(u, c float64) float64 {
	if math.Abs(u) < 1 {
		return math.Sinh(u) / math.Cosh(u+c) / math.Cosh(c)
	}
	return math.Tanh(u+c) - math.Tanh(c)
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
