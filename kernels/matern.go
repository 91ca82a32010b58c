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

// maternTerms is the number of terms of the series of maternLess. For s of at most 1 the terms that are left out
// are below 1e-17 of the sum.
const maternTerms = 18

// maternSeries holds the coefficients of the powers s^2, s^3 and so on of the kernel less 1. They follow from the series
// of exp(-s): for n >= 2
//
//	nu = 3/2    (-1)^(n-1) (n-1) / n!
//	nu = 5/2    (-1)^(n-1) (n-1) (3-n) / (3 n!)
var maternSeries = func() (series [2][maternTerms]float64) {
	factorial, sign := 1.0, 1.0
	for i := range maternTerms {
		n := float64(i + 2)
		factorial, sign = factorial*n, -sign
		series[0][i] = sign * (n - 1) / factorial
		series[1][i] = series[0][i] * (3 - n) / 3
	}
	return series
}()

// maternLess is matern less 1. Near 1, where values keep few digits of their difference to 1, the series has them.
func maternLess[T simd.Real](dst, base []T, m *Member) {
	scale := T(float64(2*m.Degree+1) * m.Gamma)
	var series [maternTerms]T
	for i, c := range maternSeries[m.Degree-1] {
		series[i] = T(c)
	}
	var squares [maternBlock]T
	for len(base) > 0 {
		n := min(maternBlock, len(base))
		square := squares[:n]
		for i, t := range base[:n] {
			square[i] = scale * t
		}
		matern(dst[:n], base[:n], m)
		for i, x := range square {
			if x > wideSpan {
				dst[i]-- // no digit is lost
				continue
			}
			s := T(math.Sqrt(float64(x)))
			sum := series[maternTerms-1]
			for k := maternTerms - 2; k >= 0; k-- {
				sum = T(sum*s) + series[k]
			}
			dst[i] = sum * x
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
