package kernels

import (
	"math"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// Most kernels are functions of one number, their base: exp(-gamma t) of a distance t, (gamma t + c)^d of a
// product. This file has these functions, and the functions less their constants: where the constant adds nothing,
// values near it keep their digits without it.

// layerOf returns where the base of the kernel lies among the bases of its group, if each has n
// elements.
func (m *Member) layerOf(n int) (from, to int) { return m.Layer * n, (m.Layer + 1) * n }

// Transform applies the kernel to its base among the bases of the group: dst[i] = k(base[i]),
// also where the kernel is wide.
func (e *transformer[T]) Transform(dst, base []T, m *Member) {
	from, to := m.layerOf(len(dst))
	base = base[from:to]
	switch m.Kind {
	case kernelspec.Gauss, kernelspec.Laplace, kernelspec.ChiSquare:
		// A kernel that is a square elsewhere is made in the same steps here: one exponential, and
		// then squares.
		simd.Exp(dst, base, -math.Ldexp(m.Gamma, -m.Squarings))
		if m.Squarings > 0 {
			simd.Power(dst, dst, 1, 0, 1<<m.Squarings)
		}
	case kernelspec.Poly:
		simd.Power(dst, base, T(m.Gamma), T(m.Coef), m.Degree)
	case kernelspec.Sigmoid:
		simd.Tanh(dst, base, T(m.Gamma), T(m.Coef))
	case kernelspec.Matern:
		matern(dst, base, m)
	default:
		copy(dst, base)
	}
}

// losesConstant reports whether centring takes a constant from the kernel that evaluateLess leaves out.
func (m *Member) losesConstant() bool {
	return m.Kind.HasConstant() || m.Kind == kernelspec.Poly && m.Coef > 0 && m.Degree <= mostWideDegree
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

// evaluate sets dst[i] to what sums have of the kernel: k(base[i]), or that less its constant if it is
// wide.
func (e *transformer[T]) evaluate(dst, base []T, m *Member) {
	if !m.Wide {
		e.Transform(dst, base, m)
		return
	}
	from, to := m.layerOf(len(dst))
	if m.Kind == kernelspec.Poly {
		powerLess(dst, base[from:to], m)
		return
	}
	// The steps are the steps of a chain.
	simd.Expm1(dst, base[from:to], -math.Ldexp(m.Gamma, -m.Squarings))
	for range m.Squarings {
		simd.Expm1Twice(dst, dst)
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
