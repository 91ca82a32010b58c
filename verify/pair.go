package verify

import (
	"math"

	"bigmkl/internal/kernelspec"
)

// pairKernel is the kernel of pairs of objects,
//
//	k({a,b}, {c,d}) = k(a,c) k(b,d) + k(a,d) k(b,c)       (Ben-Hur and Noble 2005),
//	k((a,b), (c,d)) = k(a,c) k(b,d) - k(a,d) k(b,c)       (Pahikkala et al. 2010),
//
// whose objects are laid out one by one.
type pairKernel struct{ pair *kernelspec.Pair }

// Values writes the kernel of x and every z to dst.
func (p pairKernel) Values(dst []float64, x []float32, z [][]float32) {
	pick := func(row []float32, places []int32) []float64 {
		out := make([]float64, len(places))
		for i, at := range places {
			out[i] = float64(row[at])
		}
		return out
	}
	a, b := pick(x, p.pair.First), pick(x, p.pair.Second)
	for i := range z {
		c, d := pick(z[i], p.pair.First), pick(z[i], p.pair.Second)
		straight, crossed := p.compare(a, c)*p.compare(b, d), p.compare(a, d)*p.compare(b, c)
		if p.pair.Antisymmetric {
			crossed = -crossed
		}
		dst[i] = straight + crossed
	}
}

// compare returns the kernel of two objects.
func (p pairKernel) compare(x, z []float64) float64 {
	k := &p.pair.Kernel
	var product, square, absolute neumaier
	for j := range x {
		product.add(x[j] * z[j])
		square.add((x[j] - z[j]) * (x[j] - z[j]))
		absolute.add(math.Abs(x[j] - z[j]))
	}
	switch k.Kind {
	case kernelspec.Gauss:
		return math.Exp(-k.Gamma * square.value())
	case kernelspec.Laplace:
		return math.Exp(-k.Gamma * absolute.value())
	case kernelspec.Poly:
		return power(k.Gamma*product.value()+k.Coef, k.Degree)
	}
	return product.value()
}

// Definite reports whether the kernel is positive semi-definite, which it is if that of the
// objects is.
func (p pairKernel) Definite() bool {
	k := &p.pair.Kernel
	return k.Kind != kernelspec.Poly || k.Gamma >= 0 && k.Coef >= 0
}
