// Package kernelstest has for tests the kernels by their definitions, and kernel matrices as files.
// The definitions share no code with package kernels, which is held to them.
package kernelstest

import (
	"math"

	"bigmkl/internal/kernelspec"
)

// Value returns k(x, z) by the definition of a kernel that is computed from features, in float64.
// set holds the features; nil means all. shift is subtracted from both points for a linear
// kernel; nil means no shift.
//
// size is the sum of the magnitudes of the terms that the base of the kernel (a distance or a
// product) is made of. Rounding of the base is in proportion to it. String kernels have no such
// terms, and a size of 0.
func Value(k kernelspec.Kernel, set []int32, x, z, shift []float32) (v, size float64) {
	if k.Kind.OfStrings() {
		return StringValue(k, set, x, z), 0
	}
	base := 0.0
	add := func(j int) {
		a, b := float64(x[j]), float64(z[j])
		if k.Kind == kernelspec.Linear && shift != nil {
			a, b = a-float64(shift[j]), b-float64(shift[j])
		}
		term := baseTerm(k.Kind, a, b)
		base += term
		size += math.Abs(term)
	}
	if set == nil {
		for j := range x {
			add(j)
		}
	}
	for _, j := range set {
		add(int(j))
	}
	return Transform(k, base), size
}

// baseTerm returns what a feature adds to the base of a kernel, where it is a in the one point and
// b in the other.
func baseTerm(kind kernelspec.Kind, a, b float64) float64 {
	switch kind {
	case kernelspec.Gauss, kernelspec.Matern:
		return (a - b) * (a - b)
	case kernelspec.Laplace:
		return math.Abs(a - b)
	case kernelspec.ChiSquare:
		if a+b == 0 {
			return 0
		}
		return (a - b) * (a - b) / (a + b)
	case kernelspec.Intersection:
		return min(a, b)
	}
	return a * b
}

// Transform returns a kernel as the function of its base.
func Transform(k kernelspec.Kernel, base float64) float64 {
	switch k.Kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare:
		return math.Exp(-k.Gamma * base)
	case kernelspec.Poly:
		return math.Pow(k.Gamma*base+k.Coef, float64(k.Degree))
	case kernelspec.Sigmoid:
		return math.Tanh(k.Gamma*base + k.Coef)
	case kernelspec.Matern:
		s := math.Sqrt(float64(2*k.Degree+1) * k.Gamma * base)
		if k.Degree == 1 {
			return (1 + s) * math.Exp(-s)
		}
		return (1 + s + s*s/3) * math.Exp(-s)
	}
	return base
}
