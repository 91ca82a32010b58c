package kernels

import (
	"math"

	"bigmkl/internal/kernelspec"
)

// pairKernel computes the kernel of pairs of objects, k(a,c) k(b,d) + k(a,d) k(b,c) or the difference of these, value by value
// in float64. Like the code of a user it takes plain rows of its features.
type pairKernel struct{ kernelspec.Pair }

var _ UserKernel = pairKernel{}

// Values implements UserKernel.
func (p pairKernel) Values(dst []float64, x []float32, z [][]float32) {
	for i, y := range z {
		dst[i] = float64(p.object(x, p.First, y, p.First)*p.object(x, p.Second, y, p.Second)) +
			float64(p.Sign()*p.object(x, p.First, y, p.Second)*p.object(x, p.Second, y, p.First))
	}
}

// object returns the kernel of two objects: the features of x at some places and the features of
// z at as many.
func (p pairKernel) object(x []float32, of []int32, z []float32, with []int32) float64 {
	k, s := &p.Kernel, 0.0
	switch k.Kind {
	case kernelspec.Gauss:
		for i, j := range of {
			d := float64(x[j]) - float64(z[with[i]])
			s += float64(d * d)
		}
		return math.Exp(-k.Gamma * s)
	case kernelspec.Laplace:
		for i, j := range of {
			s += math.Abs(float64(x[j]) - float64(z[with[i]]))
		}
		return math.Exp(-k.Gamma * s)
	}
	for i, j := range of {
		s += float64(float64(x[j]) * float64(z[with[i]]))
	}
	if k.Kind == kernelspec.Poly {
		return math.Pow(float64(k.Gamma*s)+k.Coef, float64(k.Degree))
	}
	return s
}

// Definite implements UserKernel: the pairs are a symmetric or antisymmetric tensor product of the objects.
func (p pairKernel) Definite() bool {
	return p.Kernel.Kind != kernelspec.Poly || p.Kernel.Gamma >= 0 && p.Kernel.Coef >= 0
}
