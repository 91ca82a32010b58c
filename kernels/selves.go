package kernels

import (
	"math"

	"bigmkl/internal/simd"
	"bigmkl/kernelspec"
)

// RowFactors returns the factors of the row points, in dst if that is large enough, or nil if every
// factor is 1: their gates, times 1/sqrt(k(x,x)) under the spherical normalisation (Kloft 2011, eq.
// 3.7). A point with k(x,x) = 0 has the factor 0.
func (e *Evaluator[T]) RowFactors(dst []T, r *Rows[T], m *Member) []T {
	return e.gateRows(dst, e.factors(dst, r.self, r.Len, m), r, m)
}

// ColumnFactors is RowFactors for the points of a panel.
func (e *Evaluator[T]) ColumnFactors(dst []T, c *Columns[T], m *Member) []T {
	// Only then will the diagonal be looked at.
	if m.Normalizer == kernelspec.Spherical {
		e.findSelf(c)
	}
	return e.gateColumns(dst, e.factors(dst, c.self, simd.Width, m), c, m)
}

// SelfValues writes k(x,x) of the points of a panel to dst, which has 32 elements.
func (e *Evaluator[T]) SelfValues(dst []T, c *Columns[T], m *Member) {
	if unitDiagonal(m.Kind) {
		for i := range dst {
			dst[i] = 1
		}
		return
	}
	e.findSelf(c)
	e.Transform(dst, c.self, m)
}

// findSelf computes the diagonal of a panel where PackColumns has left that out.
func (e *Evaluator[T]) findSelf(c *Columns[T]) {
	g := c.lazy
	if g == nil {
		return
	}
	c.lazy = nil
	switch g.Base {
	case Factored:
		e.productSelves(c, g)
	case UserValue:
		e.user.selves(c.self, g, c.user.at)
	default:
		e.sequences.selves(c, g)
	}
}

// productSelves multiplies the diagonals of the factors.
func (e *Evaluator[T]) productSelves(c *Columns[T], g *Group) {
	// The values are made as those of Base are, so that a product of a point with itself has the
	// same bits.
	for i := range g.Factors {
		to := e.first(c.self, i)
		e.SelfValues(to, &c.factors[i], &g.Factors[i].Group.Members[0])
		e.times(c.self, to, g.Factors[i].Power, i)
	}
}

// factors returns the factors of n points under the spherical normalisation, from their bases with
// themselves.
func (e *Evaluator[T]) factors(dst, self []T, n int, m *Member) []T {
	if m.Normalizer != kernelspec.Spherical || unitDiagonal(m.Kind) {
		return nil
	}
	dst = grow(dst, n)
	e.Transform(dst, self, m)
	for i, v := range dst {
		// A point that has no norm has no direction either, and is given the value 0.
		dst[i] = 0
		if v > 0 {
			dst[i] = T(1 / math.Sqrt(float64(v)))
		}
	}
	return dst
}
