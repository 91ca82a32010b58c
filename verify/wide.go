package verify

import (
	"math"

	"bigmkl/kernelspec"
	"bigmkl/model"
)

// An exponential kernel that is wide beside the support vectors is nearly 1 for all pairs. Its
// factor magnifies what tells points apart, and with it the rounding of values near 1. Where the
// dual variables sum to 0 the constant adds nothing, so that k - 1 is summed instead, which keeps
// all of its digits. Training does so too, in its own way and for kernels of its own choice: the
// values that are compared do not depend on that.

// isWide reports whether k - 1 is summed in place of the kernel: if gamma times the mean base of
// two support vectors, or a bound of it, is at most 1.
func (p *problem) isWide(id int32) bool {
	k := &p.bank.Kernels[id]
	if k.Missing != kernelspec.MissingUnsaid {
		return false
	}
	if p.m.Task == model.TaskOneClass || p.gated() || p.normalizer(id) == kernelspec.Spherical {
		return false
	}
	base := 0.0
	switch k.Kind {
	case kernelspec.Gauss: // the mean of |x - z|^2 is twice the mean square around the mean
		p.eachFeatureOf(k, func(j int) { base += 2 * p.squaredNorms[j] })
	case kernelspec.Laplace: // the mean of |x - z| is at most the root of that
		p.eachFeatureOf(k, func(j int) { base += math.Sqrt(2 * p.squaredNorms[j]) })
	case kernelspec.ChiSquare: // (x - z)^2 / (x + z) <= x + z
		p.eachFeatureOf(k, func(j int) { base += 2 * p.mean[j] })
	default:
		return false
	}
	return k.Gamma*base <= 1
}

// valueLess is value, or k - 1 of a wide kernel.
func valueLess(k *kernelspec.Kernel, b float64, wide bool) float64 {
	if wide {
		return math.Expm1(-k.Gamma * b)
	}
	return value(k, b)
}
