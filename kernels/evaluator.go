package kernels

import (
	"math"

	"bigmkl/internal/simd"
	"bigmkl/kernelspec"
)

// Columns is the column side: one panel of 32 points as [feature][32].
type Columns[T simd.Real] struct {
	pack    []T
	own     []T
	self    []T
	first   int     // number of the first point, for a matrix
	ids     []int32 // numbers of the points, for a matrix, where they do not lie side by side
	place   []int32 // of the rows of a sparse product's panel; see Panel
	moved   []T
	bits    bitText // of sequences,
	alone   *text   // of a group whose self is still to be found,
	product *Group  // likewise
	user    *Group  // likewise
	factors []Columns[T]
	dotted  dotted
	// or, one a layer:
	lexica []lexicon[T]
}

// Evaluator computes tiles; it owns the scratch memory of one goroutine.
type Evaluator[T simd.Real] struct {
	bank        *Bank
	few         bool // groups: no set is laid out by feature
	work        []T
	tile, value []T       // of factors
	wide        []float64 // of a user's kernel
	none        []float32 // zeros
	index       []int32   // of rows, as places in a panel
	// Of sequences:
	letters letters
	count   counter
	matcher matcher
}

// NewEvaluator returns an evaluator for the bank.
func NewEvaluator[T simd.Real](b *Bank) *Evaluator[T] {
	return &Evaluator[T]{bank: b, few: !b.LaysOut()}
}

// fewGroups is the number of groups up to which dense points are packed one by one: to lay a working set out by feature pays
// when many groups choose from the features, and takes two to three times the memory of the points.
const fewGroups = 3

// LaysOut tells whether dense working sets are laid out by feature before they are packed.
func (b *Bank) LaysOut() bool { return len(b.Groups) > fewGroups }

func blocks(q int) int { return (q + simd.Rows - 1) / simd.Rows }

// BaseSize is the number of elements of one base of q points against one panel.
func BaseSize(q int) int { return blocks(q) * simd.Rows * simd.Width }

// Sparse tells whether the evaluator takes the non-zeros of the group's points.
func (e *Evaluator[T]) Sparse(g *Group) bool { return g.Sparse && !g.Direct[precision[T]()] }

// PackColumns packs a panel for the group; n is the number of points there are.
func (e *Evaluator[T]) PackColumns(c *Columns[T], g *Group, p *Panel, n int) {
	c.first, c.ids, c.alone, c.product, c.user = p.First, p.IDs, nil, nil, nil
	c.self = grow(c.self, simd.Width)
	if g.Base == MatrixRow {
		clear(c.self)
		for j := range min(p.Len, n) {
			id := p.id(j)
			c.self[j] = matrixAt[T](g, id, id)
		}
		return
	}
	if g.text != nil {
		e.packTextColumns(c, g, p)
		return
	}
	if g.Base == Factored {
		e.packFactorColumns(c, g, p, n)
		return
	}
	if g.Base == Foreign {
		e.packUserColumns(c, g, p)
		return
	}
	c.place = nil
	if e.Sparse(g) {
		e.widen(c, p.Dense)
		c.place = p.place
		clear(c.self)
		for j := range p.Len {
			if g.Features == nil && !p.alien {
				c.self[j] = e.square(p.id(j))
				continue
			}
			_, value := g.clip(p.index[j], p.value[j])
			e.work = pad(e.work[:0], value)
			c.self[j] = simd.SparseSquare(e.work)
		}
		if g.Base == CentredProduct {
			c.moved = grow(c.moved, simd.Width)
			e.centre(c.moved, c.self, g, p.index, p.value)
		}
		return
	}
	switch {
	case p.place != nil:
		e.expand(c, g, p)
	case g.Features != nil:
		c.own = grow(c.own, g.Dim*simd.Width)
		c.pack = c.own
		simd.Gather(c.pack, p.Dense, e.shift(g), g.Features)
	case g.centred():
		c.own = grow(c.own, g.Dim*simd.Width)
		c.pack = c.own
		simd.Shift(c.pack, p.Dense, e.shift(g), g.Dim)
	default:
		e.widen(c, p.Dense)
	}
	if g.Base == Overlap {
		for j := range simd.Width {
			c.self[j] = strided(c.pack[j:], g.Dim, simd.Width)
		}
		return
	}
	simd.ColumnSquares(c.self, c.pack, g.Dim)
}

// expand packs every feature of the group from a panel that leaves out rows of zeros.
func (e *Evaluator[T]) expand(c *Columns[T], g *Group, p *Panel) {
	c.own = grow(c.own, g.Dim*simd.Width)
	c.pack = c.own
	shift := e.shift(g)
	for k := range g.Dim {
		j := g.feature(k)
		simd.Shift(c.pack[k*simd.Width:(k+1)*simd.Width], p.row(j), shift[j:j+1], 1)
	}
}

// widen takes the rows of a panel as they are.
func (e *Evaluator[T]) widen(c *Columns[T], rows []float32) {
	if same, ok := any(rows).([]T); ok {
		c.pack = same
		return
	}
	d := len(rows) / simd.Width
	c.own = grow(c.own, len(rows))
	c.pack = c.own
	simd.Shift(c.pack, rows, e.zeros(d), d)
}

// Base computes the bases of rows from..from+count-1 against the columns; from is a multiple of 8. dst: TileSize(count),
// row-major. ahead is memory that will be needed next, if anything.
func (e *Evaluator[T]) Base(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T], ahead []T) {
	var pack, self []T
	if g.Base != MatrixRow && !g.Alone() && !e.Sparse(g) {
		pack, self = r.pack[from*g.Dim:], r.self[from:from+blocks(count)*simd.Rows]
	}
	switch {
	case g.Base == MatrixRow:
		e.matrixBase(dst, g, r.ids[from:from+count], c)
	case g.Base == Factored:
		e.productBase(dst, g, r, from, count, c)
	case g.Base == Foreign:
		e.userBase(dst, g, r, from, count, c)
	case g.Base == Words:
		e.wordBase(dst, g, r, from, count, c)
	case g.Base == Matches:
		e.matchBase(dst, g, r, from, count, c)
	case e.Sparse(g):
		e.sparseBase(dst, g, r, from, count, c)
	case g.Base == SquaredDistance && !g.Direct[precision[T]()]:
		simd.Distance(dst, pack, c.pack, g.Dim, self, c.self, ahead)
	case g.Base == Product || g.Base == CentredProduct:
		simd.Product(dst, pack, c.pack, g.Dim, ahead)
	default:
		e.differences(dst, g, pack, c.pack)
	}
}

func (e *Evaluator[T]) sparseBase(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	start := r.start[from : from+count+1]
	index, value := e.places(r.index[start[0]:start[count]], c.place), r.value[start[0]:start[count]]
	for i := range count {
		first, last := start[i]-start[0], start[i+1]-start[0]
		row := dst[i*simd.Width : (i+1)*simd.Width]
		simd.SparseDot(row, index[first:last], value[first:last], c.pack)
		if g.Base == CentredProduct {
			for j, m := range c.moved {
				row[j] -= r.moved[from+i] + m
			}
		}
	}
	clear(dst[count*simd.Width:])
	for b := 0; b < blocks(count) && g.Base == SquaredDistance; b++ {
		simd.DistanceFromDot(dst[b*tile:(b+1)*tile], r.self[from+b*simd.Rows:from+(b+1)*simd.Rows], c.self)
	}
}

// places translates features to rows of a panel.
func (e *Evaluator[T]) places(index, place []int32) []int32 {
	if place == nil {
		return index
	}
	e.index = grow(e.index, len(index))
	for i, j := range index {
		e.index[i] = place[j]
	}
	return e.index
}

const tile = simd.Rows * simd.Width

// differences sums differences, or minima.
func (e *Evaluator[T]) differences(dst []T, g *Group, a, x []T) {
	switch g.Base {
	case SquaredDistance:
		simd.SquaredDiff(dst, a, x, g.Dim)
	case Distance:
		simd.AbsDiff(dst, a, x, g.Dim)
	case ChiSquareDistance:
		simd.ChiSquare(dst, a, x, g.Dim)
	case Overlap:
		simd.MinSum(dst, a, x, g.Dim)
	}
}

func (e *Evaluator[T]) matrixBase(dst []T, g *Group, ids []int32, c *Columns[T]) {
	clear(dst)
	for i, at := range ids {
		row, id := dst[i*simd.Width:(i+1)*simd.Width], int(at)
		if c.ids == nil {
			matrixRow(g, id, c.first, row)
		}
		for j, col := range c.ids {
			row[j] = matrixAt[T](g, id, int(col))
		}
	}
}

// RowFactors gives 1/sqrt(k(x,x)) of the row points under the spherical normalisation, nil where every factor is 1.
func (e *Evaluator[T]) RowFactors(dst []T, r *Rows[T], m *Member) []T {
	return e.factors(dst, r.self, r.Len, m)
}

// ColumnFactors is RowFactors for the points of a panel.
func (e *Evaluator[T]) ColumnFactors(dst []T, c *Columns[T], m *Member) []T {
	if m.Normalizer == kernelspec.Spherical {
		e.findSelf(c)
	}
	return e.factors(dst, c.self, simd.Width, m)
}

// factors takes what n points have with themselves, layer by layer.
func (e *Evaluator[T]) factors(dst, self []T, n int, m *Member) []T {
	if m.Normalizer != kernelspec.Spherical || unitDiagonal(m.Kind) {
		return nil
	}
	dst = grow(dst, n)
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
	e.findSelf(c)
	e.Transform(dst, c.self, m)
}

// findSelf completes a panel of sequences, of a product or of a user's kernel, where few want it.
func (e *Evaluator[T]) findSelf(c *Columns[T]) {
	if c.alone != nil {
		e.laneSelves(c, c.alone)
		c.alone = nil
	}
	if c.product != nil {
		e.productSelves(c, c.product)
		c.product = nil
	}
	if c.user != nil {
		e.userSelves(c.self, c.user, c.dotted.at)
		c.user = nil
	}
}

func unitDiagonal(k kernelspec.Kind) bool {
	return k == kernelspec.Gauss || k == kernelspec.Laplace || k == kernelspec.ChiSquare
}

// centred tells whether the evaluator centres the features of the group. Differences need none, and small ones would be lost by it: of
// features that differ by less than rounding of their means.
func (e *Evaluator[T]) centred(g *Group) bool {
	return g.centred() && !(g.Base == SquaredDistance && g.Direct[precision[T]()])
}

func (g *Group) centred() bool { return g.Base == CentredProduct || g.Base == SquaredDistance }
