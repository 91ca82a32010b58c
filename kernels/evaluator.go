package kernels

import (
	"math"

	"bigmkl/internal/simd"
	"bigmkl/internal/spec"
)

// Rows is the row side of a group's tiles: q points packed in blocks of 8 as [block][feature][8], the last block padded
// with zeros.
type Rows[T simd.Real] struct {
	Len  int
	pack []T
	self []T     // base of each point with itself
	ids  []int32 // rows of a matrix
}

// Columns is the column side: one panel of 32 points as [feature][32].
type Columns[T simd.Real] struct {
	pack  []T
	self  []T
	first int     // number of the first point, for a matrix
	ids   []int32 // numbers of the points, for a matrix, where they do not lie side by side
}

// Evaluator computes tiles; it owns the scratch memory of one goroutine.
type Evaluator[T simd.Real] struct {
	bank *Bank
	tile []T
	zero []T
	work []T
}

// NewEvaluator returns an evaluator for the bank.
func NewEvaluator[T simd.Real](b *Bank) *Evaluator[T] {
	return &Evaluator[T]{bank: b, tile: make([]T, simd.Rows*simd.Width)}
}

// RowsSize is the number of elements that the packed rows of q points of the group take.
func RowsSize(g *Group, q int) int { return blocks(q)*simd.Rows*(g.Dim+1) + q }

func blocks(q int) int { return (q + simd.Rows - 1) / simd.Rows }

// PackRows packs points for the group. points: q x d, row-major, scaled features; ids: their numbers, used by matrices.
func (e *Evaluator[T]) PackRows(r *Rows[T], g *Group, points []float32, d int, ids []int32) {
	q := len(ids)
	r.Len, r.ids = q, ids
	r.pack = grow(r.pack, blocks(q)*simd.Rows*g.Dim)
	r.self = grow(r.self, blocks(q)*simd.Rows)
	if g.Base == MatrixRow {
		for i, id := range ids {
			r.self[i] = matrixAt[T](g, int(id), int(id))
		}
		return
	}
	clear(r.pack)
	centred := g.centred()
	for i := range q {
		x := points[i*d : (i+1)*d]
		at := (i/simd.Rows)*simd.Rows*g.Dim + i%simd.Rows
		if g.Features == nil {
			for j, v := range x {
				if centred {
					r.pack[at] = T(v) - T(e.bank.Shift[j])
				} else {
					r.pack[at] = T(v)
				}
				at += simd.Rows
			}
			continue
		}
		for _, j := range g.Features {
			if centred {
				r.pack[at] = T(x[j]) - T(e.bank.Shift[j])
			} else {
				r.pack[at] = T(x[j])
			}
			at += simd.Rows
		}
	}
	e.zero = zeros(e.zero, g.Dim*simd.Width)
	for b := range blocks(q) {
		a := r.pack[b*simd.Rows*g.Dim : (b+1)*simd.Rows*g.Dim]
		if g.Base == Overlap {
			for i := range simd.Rows {
				r.self[b*simd.Rows+i] = strided(a[i:], g.Dim, simd.Rows)
			}
			continue
		}
		// The squares are summed by the routine that sums squared differences, so that both sides of a tile get the same bits.
		simd.SquaredDiff(e.tile, a, e.zero, g.Dim)
		for i := range simd.Rows {
			r.self[b*simd.Rows+i] = e.tile[i*simd.Width]
		}
	}
}

// PackColumns packs a panel ([d][32], scaled features) for the group; first is the number of its first point and n the
// number of points there are.
func (e *Evaluator[T]) PackColumns(c *Columns[T], g *Group, panel []float32, first, n int) {
	c.first, c.ids = first, nil
	c.self = grow(c.self, simd.Width)
	if g.Base == MatrixRow {
		for j := range simd.Width {
			c.self[j] = 0
			if first+j < n {
				c.self[j] = matrixAt[T](g, first+j, first+j)
			}
		}
		return
	}
	c.pack = grow(c.pack, g.Dim*simd.Width)
	e.zero = zeros(e.zero, g.Dim*simd.Width)
	shift := e.bank.Shift
	if !g.centred() {
		shift = noShift(len(e.bank.Shift))
	}
	if g.Features == nil {
		simd.Shift(c.pack, panel, shift, g.Dim)
	} else {
		for i, j := range g.Features {
			at := int(j) * simd.Width
			simd.Shift(c.pack[i*simd.Width:(i+1)*simd.Width], panel[at:at+simd.Width], shift[j:j+1], 1)
		}
	}
	if g.Base == Overlap {
		for j := range simd.Width {
			c.self[j] = strided(c.pack[j:], g.Dim, simd.Width)
		}
		return
	}
	simd.SquaredDiff(e.tile, e.zero[:g.Dim*simd.Rows], c.pack, g.Dim)
	copy(c.self, e.tile[:simd.Width])
}

// Base computes the base of row block b (8 points) against the columns. dst: 8 x 32, row-major.
func (e *Evaluator[T]) Base(dst []T, g *Group, r *Rows[T], b int, c *Columns[T]) {
	a := r.pack[b*simd.Rows*g.Dim : (b+1)*simd.Rows*g.Dim]
	switch g.Base {
	case CentredProduct, Product:
		simd.Dot(dst, a, c.pack, g.Dim)
	case SquaredDistance:
		if g.Direct[precision[T]()] {
			simd.SquaredDiff(dst, a, c.pack, g.Dim)
			return
		}
		simd.Dot(dst, a, c.pack, g.Dim)
		simd.DistanceFromDot(dst, r.self[b*simd.Rows:(b+1)*simd.Rows], c.self)
	case Distance:
		simd.AbsDiff(dst, a, c.pack, g.Dim)
	case ChiSquareDistance:
		simd.ChiSquare(dst, a, c.pack, g.Dim)
	case Overlap:
		simd.MinSum(dst, a, c.pack, g.Dim)
	case MatrixRow:
		clear(dst)
		for i := range min(simd.Rows, r.Len-b*simd.Rows) {
			row, id := dst[i*simd.Width:(i+1)*simd.Width], int(r.ids[b*simd.Rows+i])
			if c.ids == nil {
				matrixRow(g, id, c.first, row)
			}
			for j, col := range c.ids {
				row[j] = matrixAt[T](g, id, int(col))
			}
		}
	}
}

// Transform applies the kernel to a base: dst[i] = k(base[i]).
func (e *Evaluator[T]) Transform(dst, base []T, m *Member) {
	switch m.Kind {
	case spec.Gauss, spec.Laplace, spec.ChiSquare:
		simd.Exp(dst, base, T(-m.Gamma))
	case spec.Poly:
		simd.Power(dst, base, T(m.Gamma), T(m.Coef), m.Degree)
	case spec.Sigmoid:
		simd.Tanh(dst, base, T(m.Gamma), T(m.Coef))
	default:
		copy(dst, base)
	}
}

// Sum adds the weighted rows of a kernel to acc: acc[j] += sum_r coef[r] k(base[r][j]). base: len(coef) x 32, row-major. The
// bits are those of Transform followed by a plain weighted sum.
func (e *Evaluator[T]) Sum(acc, base, coef []T, m *Member) {
	switch m.Kind {
	case spec.Gauss, spec.Laplace, spec.ChiSquare:
		simd.ExpAddRows(acc, base, coef, T(-m.Gamma))
	case spec.Poly, spec.Sigmoid:
		e.work = grow(e.work, len(base))
		e.Transform(e.work, base, m)
		simd.AddRows(acc, e.work, coef)
	default:
		simd.AddRows(acc, base, coef)
	}
}

// RowFactors gives 1/sqrt(k(x,x)) of the row points under the spherical normalisation, nil where every factor is 1.
func (e *Evaluator[T]) RowFactors(dst []T, r *Rows[T], m *Member) []T {
	return e.factors(dst, r.self[:r.Len], m)
}

// ColumnFactors is RowFactors for the points of a panel.
func (e *Evaluator[T]) ColumnFactors(dst []T, c *Columns[T], m *Member) []T {
	return e.factors(dst, c.self, m)
}

func (e *Evaluator[T]) factors(dst, self []T, m *Member) []T {
	if !e.bank.Spherical || unitDiagonal(m.Kind) {
		return nil
	}
	dst = grow(dst, len(self))
	e.Transform(dst, self, m)
	for i, v := range dst {
		dst[i] = 0
		if v > 0 {
			dst[i] = T(1 / math.Sqrt(float64(v)))
		}
	}
	return dst
}

// SelfValues gives k(x,x) of the points of a panel. dst has 32 entries.
func (e *Evaluator[T]) SelfValues(dst []T, c *Columns[T], m *Member) {
	if unitDiagonal(m.Kind) {
		for i := range dst {
			dst[i] = 1
		}
		return
	}
	e.Transform(dst, c.self, m)
}

func unitDiagonal(k spec.Kind) bool {
	return k == spec.Gauss || k == spec.Laplace || k == spec.ChiSquare
}

func (g *Group) centred() bool { return g.Base == CentredProduct || g.Base == SquaredDistance }
