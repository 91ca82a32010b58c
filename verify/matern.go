package verify

import (
	"math"

	"bigmkl/internal/kernelspec"
)

// A Matern kernel of smoothness nu = d + 1/2 is exp(-s) times a polynomial p(s) of degree d, where s^2 is 2 nu gamma times
// the squared distance b (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, eq. 4.16).

// matern returns the kernel at b.
func matern(k *kernelspec.Kernel, b float64) float64 {
	s := math.Sqrt(float64(2*k.Degree+1) * k.Gamma * b)
	return (1 + s + float64(k.Degree-1)*s*s/3) * math.Exp(-s)
}

// maternDifference returns the kernel less 1. That is -exp(-s) (exp(s) - p(s)), and
// exp(s) - p(s) is a series whose terms have one sign: sum_n s^n/n! without its first terms.
func maternDifference(k *kernelspec.Kernel, b float64) float64 {
	s := math.Sqrt(float64(2*k.Degree+1) * k.Gamma * b)
	if !(s < 1) {
		return value(k, b) - 1
	}
	term := s * s / 2
	sum := term
	if k.Degree == 2 {
		sum = s * s / 6 // as s^2/3 is part of the polynomial
	}
	for n := 3.0; term > 0x1p-60*sum; n++ {
		term *= s / n
		sum += term
	}
	return -math.Exp(-s) * sum
}

// maternSlope bounds the derivative of the kernel by b, relative to its value.
func maternSlope(k *kernelspec.Kernel) float64 {
	if k.Degree == 1 {
		return 1.5 * k.Gamma // 3 gamma / (2 (1 + s))
	}
	return 5.0 / 6 * k.Gamma // 5 gamma (1 + s) / (6 (1 + s + s^2/3))
}
