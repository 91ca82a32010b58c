package kernels

import (
	"math"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// A Matern kernel of smoothness nu = d + 1/2 is an exponential of the distance times a polynomial of degree d
// (Rasmussen and Williams 2006, eq. 4.17). With t the squared distance and s = (2 nu gamma t)^(1/2):
//
//	nu = 3/2    (1 + s) exp(-s)
//	nu = 5/2    (1 + s + s^2/3) exp(-s)
//
// Functions of a sample of a Gaussian process with this kernel are d times differentiable, and functions of a
// Gaussian kernel are so any number of times.

// maternBlock is the number of values whose roots are in memory at a time.
const maternBlock = 256

// matern sets dst to the values at squared distances. They may be the same slice.
func matern[T simd.Real](dst, base []T, m *Member) {
	scale := T(float64(2*m.Degree+1) * m.Gamma)
	var roots, powers [maternBlock]T
	for len(base) > 0 {
		n := min(maternBlock, len(base))
		s, e := roots[:n], powers[:n]
		for i, t := range base[:n] {
			s[i] = T(math.Sqrt(float64(scale * t)))
		}
		simd.Exp(e, s, -1)
		for i, x := range s {
			// Products are rounded before they are added, on every processor.
			p := 1 + x
			if m.Degree == 2 {
				p += T(x*x) / 3
			}
			dst[i] = p * e[i]
		}
		dst, base = dst[n:], base[n:]
	}
}

// slope bounds the derivative of the kernel by its squared distance, relative to its value at 0. The derivative
// of (1 + s) exp(-s) is -3/2 gamma exp(-s), and the derivative of the other -5/6 gamma (1 + s) exp(-s).
func (m *Member) slope() float64 {
	switch {
	case m.Kind != kernelspec.Matern:
		return m.Gamma
	case m.Degree == 1:
		return 1.5 * m.Gamma
	}
	return m.Gamma * 5 / 6
}
