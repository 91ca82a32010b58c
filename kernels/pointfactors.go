package kernels

import (
	"math"

	"bigmkl/internal/simd"
	"bigmkl/kernelspec"
)

// A kernel may have a factor for each point, by which its values are multiplied when they are added
// up: a(x) k(x,z) a(z), with a from the spherical normalisation, from gates, or from both.

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

// gateRows multiplies the factors of row points by their gates. Factors of nil stand for ones, and
// dst is then their memory.
func (e *Evaluator[T]) gateRows(dst, factors []T, r *Rows[T], m *Member) []T {
	if e.bank.rowGates == nil {
		return factors
	}
	return e.gate(dst, factors, r.Len, e.bank.rowGates, r.ids, m)
}

// gateColumns is gateRows for the points of a panel. Lanes behind the last point keep their
// factors.
func (e *Evaluator[T]) gateColumns(dst, factors []T, c *Columns[T], m *Member) []T {
	if e.bank.columnGates == nil {
		return factors
	}
	ids := c.ids
	if ids == nil {
		e.lanes = grow(e.lanes, c.count)
		for i := range e.lanes {
			e.lanes[i] = int32(c.first + i)
		}
		ids = e.lanes
	}
	return e.gate(dst, factors, width, e.bank.columnGates, ids[:c.count], m)
}

// gate multiplies the first of n factors by the gates of some points.
func (e *Evaluator[T]) gate(dst, factors []T, n int, gates Gates, ids []int32, m *Member) []T {
	if factors == nil {
		factors = grow(dst, n)
		fill(factors, 1)
	}
	// A bank of some of the points numbers them anew, and gates know them by their old numbers.
	if e.bank.gated != nil {
		e.numbers = grow(e.numbers, len(ids))
		for i, id := range ids {
			e.numbers[i] = e.bank.gated[id]
		}
		ids = e.numbers
	}
	e.eta = grow(e.eta, len(ids))
	gates.Gate(m.ID, ids, e.eta)
	for i, eta := range e.eta {
		factors[i] *= T(eta)
	}
	return factors
}
