package kernels

import (
	"math"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// losesConstant reports whether centring takes a constant from the kernel that evaluateLess leaves out.
func (m *Member) losesConstant() bool {
	switch m.Kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare:
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
	if m.Kind == kernelspec.Poly {
		powerLess(dst, base, m)
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
