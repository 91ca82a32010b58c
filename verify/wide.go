package verify

import (
	"math"

	"bigmkl/internal/kernelspec"
)

// An exponential kernel that is wide beside the support vectors is nearly 1 for all pairs, and a
// polynomial (gamma b + c)^d of small products b nearly c^d. Its
// factor magnifies what distinguishes points, and with it the rounding of values near 1. Where the dual
// variables sum to 0 the constant adds nothing, so k less the constant is summed instead, which keeps all of
// its digits. Training does so too, in its own way and for kernels of its own choice: the values that are
// compared do not depend on that. Where they do not, up to their own rounding, the constant counts, and the
// rounding that it brings with it is small beside what they are off by.

// isWide reports whether k less its constant is summed in place of the kernel: if gamma times the mean
// base of two support vectors, or a bound of it, is at most 1, or c for a polynomial.
func (p *problem) isWide(id int32) bool {
	k := &p.bank.Kernels[id]
	if isBase(k) {
		return false
	}
	if uncentred(p.m) || p.extended.uncancelled {
		return false
	}
	// The spherical normalisation changes no exponential, which is 1 for a point with itself.
	if p.normalizer(id) == kernelspec.Spherical && k.Kind == kernelspec.Poly {
		return false
	}
	base, least := 0.0, 1.0
	switch k.Kind {
	case kernelspec.Poly: // the mean of |<x, z>| is at most the mean square
		least = k.Coef
		p.eachFeatureOf(k, func(j int) { base += p.squaredNorms[j] + p.mean[j]*p.mean[j] })
	case kernelspec.Gauss: // the mean of |x - z|^2 is twice the mean square around the mean
		p.eachFeatureOf(k, func(j int) { base += 2 * p.squaredNorms[j] })
	case kernelspec.Laplace: // the mean of |x - z| is at most the root of that
		p.eachFeatureOf(k, func(j int) { base += math.Sqrt(2 * p.squaredNorms[j]) })
	case kernelspec.ChiSquare: // (x - z)^2 / (x + z) <= x + z
		p.eachFeatureOf(k, func(j int) { base += 2 * p.mean[j] })
	default:
		return false
	}
	return least > 0 && k.Gamma*base <= least
}

// balanced reports whether the dual variables of every classifier sum to 0 up to their rounding.
func balanced(classifiers []classifier) bool {
	for i := range classifiers {
		var sum, size neumaier
		for _, a := range classifiers[i].Alpha {
			sum.add(a)
			size.add(math.Abs(a))
		}
		if !(math.Abs(sum.value()) <= roundedBalance*size.value()) {
			return false
		}
	}
	return true
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

// tanhDifference returns tanh(u + c) - tanh(c) = sinh(u) / (cosh(u + c) cosh(c)). For a large u the difference itself has
// its digits.
func tanhDifference(u, c float64) float64 {
	if math.Abs(u) < 1 {
		return math.Sinh(u) / math.Cosh(u+c) / math.Cosh(c)
	}
	return math.Tanh(u+c) - math.Tanh(c)
}

// maternDifference returns a Matern kernel less 1. With its polynomial p(s) that is -exp(-s) (exp(s) - p(s)), and
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
