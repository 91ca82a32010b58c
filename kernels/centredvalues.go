package kernels

import (
	"math"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// losesConstant reports whether centring takes a constant from the kernel that evaluateLess leaves out.
func (m *Member) losesConstant() bool {
	switch m.Kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare, kernelspec.Matern, kernelspec.Sigmoid:
		return true
	}
	return m.Kind == kernelspec.Poly && m.Coef > 0 && m.Degree <= mostWideDegree
}

// evaluateLess is Transform for the factor of a centred kernel, whose constant is left out.
func (e *transformer[T]) evaluateLess(dst, base []T, m *Member) {
	if !m.losesConstant() {
		e.Transform(dst, base, m)
		return
	}
	from, to := m.layerOf(len(dst))
	base = base[from:to]
	switch m.Kind {
	case kernelspec.Poly:
		powerLess(dst, base, m)
		return
	case kernelspec.Matern:
		maternLess(dst, base, m)
		return
	case kernelspec.Sigmoid:
		tanhLess(dst, base, m)
		return
	}
	simd.Exp(dst, base, -m.Gamma)
	e.near = grow(e.near, len(dst))
	simd.Expm1(e.near, base, -m.Gamma)
	gamma := T(m.Gamma)
	for i, s := range base {
		// The polynomial of Expm1 is for arguments up to 1, and beyond it no digit is lost.
		if gamma*s <= wideSpan {
			dst[i] = e.near[i]
		} else {
			dst[i]--
		}
	}
}

// mostOpposed bounds how far tanh(c) tanh(u) is below 0 where tanhLess takes a quotient: 1 added to it has most of its
// digits.
const mostOpposed = 0.9

// tanhLess sets dst[i] to tanh(gamma s + c) - tanh(c) for s = base[i]. With u = gamma s that is
//
//	tanh(u) (1 - tanh(c)^2) / (1 + tanh(c) tanh(u)),
//
// which has the digits of tanh(u). Where the denominator is small, tanh(gamma s + c) is far from tanh(c), and the
// difference has its digits.
func tanhLess[T simd.Real](dst, base []T, m *Member) {
	at, slope := math.Tanh(m.Coef), math.Cosh(m.Coef)
	slope = 1 / slope / slope
	var sums [256]T
	for len(base) > 0 {
		n := min(len(sums), len(base))
		sum := sums[:n]
		simd.Tanh(sum, base[:n], T(m.Gamma), T(m.Coef))
		simd.Tanh(dst[:n], base[:n], T(m.Gamma), 0)
		for i, u := range dst[:n] {
			if product := float64(at * float64(u)); product >= -mostOpposed {
				dst[i] = T(float64(float64(u)*slope) / (1 + product))
			} else {
				dst[i] = T(float64(sum[i]) - at)
			}
		}
		dst, base = dst[n:], base[n:]
	}
}

// centredNothing is the share of what it is summed of below which k(x,x) is rounding alone once it
// is centred: x then lies at the mean.
const centredNothing = 1e-9

// centreSelves centres k(x,x) of some points.
func centreSelves[T simd.Real](c *centring, self []T, means []float64) {
	for i, m := range means {
		k, whole := float64(self[i]), c.mean
		v := k - 2*m + whole
		if !(v > centredNothing*(math.Abs(k)+2*math.Abs(m)+math.Abs(whole))) {
			v = 0
		}
		self[i] = T(v)
	}
}

// centreValues centres the values of rows against 32 columns.
func centreValues[T simd.Real](c *centring, dst []T, rows []float64, columns *[simd.Width]float64) {
	for i, m := range rows {
		less := m - c.mean
		part := dst[i*simd.Width : (i+1)*simd.Width]
		for j := range part {
			part[j] = T(float64(part[j]) - less - columns[j])
		}
	}
}
