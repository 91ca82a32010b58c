package kernels

import (
	"math"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// A kernel may have a factor for each point, by which its values are multiplied when they are added
// up: a(x) k(x,z) a(z), with a from the spherical normalisation, from gates, or from both.

// pointFactors computes the factors of points and values with them. It owns scratch memory of one
// goroutine.
type pointFactors[T simd.Real] struct {
	diagonal[T]
	bank        *Bank // for its gates
	gating      gating[T]
	left, right []T // factors of rows and of columns, see values
}

// RowFactors returns the factors of the row points, in dst if that is large enough, or nil if every
// factor is 1: their gates, times 1/sqrt(k(x,x)) under the spherical normalisation (Kloft 2011, eq.
// 3.7). A point with k(x,x) = 0 has the factor 0.
func (e *pointFactors[T]) RowFactors(dst []T, r *Rows[T], m *Member) []T {
	factors := e.factors(dst, r.self, r.Len, m)
	if e.bank.rowGates == nil {
		return factors
	}
	return e.gating.multiply(dst, factors, r.Len, e.bank, e.bank.rowGates, r.ids, m)
}

// ColumnFactors is RowFactors for the points of a panel. Lanes behind the last point have no gates.
func (e *pointFactors[T]) ColumnFactors(dst []T, c *Columns[T], m *Member) []T {
	// Only then will the diagonal be looked at.
	if m.Normalizer == kernelspec.Spherical {
		e.findSelf(c)
	}
	factors := e.factors(dst, c.self, simd.Width, m)
	if e.bank.columnGates == nil {
		return factors
	}
	return e.gating.multiply(dst, factors, width, e.bank, e.bank.columnGates, e.gating.ids(c), m)
}

// factors returns the factors of n points under the spherical normalisation, from their bases with
// themselves.
func (e *pointFactors[T]) factors(dst, self []T, n int, m *Member) []T {
	if m.Normalizer != kernelspec.Spherical {
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

// values computes the values of a kernel between packed rows and columns from their bases, 32 for
// each row: with the factors of points, and without that of the multiplicative normalisation. All
// matrices are made of them. Sums over rows multiply their coefficients by the factors instead.
func (e *pointFactors[T]) values(dst, base []T, m *Member, rows *Rows[T], cols *Columns[T]) {
	e.Transform(dst, base, m)
	left := e.RowFactors(e.left, rows, m)
	if left == nil {
		return
	}
	e.left, e.right = left, e.ColumnFactors(e.right, cols, m)
	for i, a := range left {
		row := dst[i*simd.Width : (i+1)*simd.Width]
		for j := range row {
			row[j] *= a * e.right[j]
		}
	}
}

// gating multiplies factors by gates. It owns scratch memory of one goroutine.
type gating[T simd.Real] struct {
	eta     []float64
	lanes   []int32 // numbers of the points of a panel
	numbers []int32 // numbers by which gates know points
}

// ids returns the numbers of the points of a panel.
func (x *gating[T]) ids(c *Columns[T]) []int32 {
	if c.ids != nil {
		return c.ids[:c.count]
	}
	x.lanes = grow(x.lanes, c.count)
	for i := range x.lanes {
		x.lanes[i] = int32(c.first + i)
	}
	return x.lanes
}

// multiply multiplies the first of n factors by the gates of some points. Factors of nil represent
// ones, and dst is then their memory.
func (x *gating[T]) multiply(dst, factors []T, n int, b *Bank, gates Gates, ids []int32,
	m *Member) []T {
	if factors == nil {
		factors = grow(dst, n)
		fill(factors, 1)
	}
	// A bank of some of the points numbers them again, and gates know them by their old numbers.
	if b.gated != nil {
		x.numbers = grow(x.numbers, len(ids))
		for i, id := range ids {
			x.numbers[i] = b.gated[id]
		}
		ids = x.numbers
	}
	x.eta = grow(x.eta, len(ids))
	gates.Gate(m.ID, ids, x.eta)
	for i, eta := range x.eta {
		factors[i] *= T(eta)
	}
	return factors
}
