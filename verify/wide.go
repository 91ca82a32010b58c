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
