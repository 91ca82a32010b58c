package kernels

import (
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// One call packs rows, one packs a panel, and Base makes the bases of rows against the panel. Each
// kind of group has its own way of doing so, which is chosen here and nowhere else. A product
// calls the same three for its factors, which is why its code is in this file.

// PackRows packs the points of a set for the group. Packed rows are only read afterwards: several
// evaluators may use them at once.
func (e *Evaluator[T]) PackRows(r *Rows[T], g *Group, set *Set) {
	q := len(set.IDs)
	r.Len, r.ids = q, set.IDs
	if list := e.rowsOf(g); list != nil {
		e.table.packFromTable(r, g, list, set.IDs)
		return
	}
	r.kept = nil
	r.self = grow(r.self, blocks(q)*simd.Rows)
	switch {
	case g.Base == MatrixRow:
		for i, id := range set.IDs {
			r.self[i] = matrixAt[T](&g.tabulated, int(id), int(id))
		}
	case g.Base == Factored:
		e.packFactors(r, g, set)
	case g.Base == userValue:
		e.user.packRows(r, g, set)
	case g.Base == Looked:
		packLookedRows(r, g, set, e.Square)
	case g.text != nil:
		e.sequences.packRows(r, g, set)
	case e.sparse(g):
		e.packSparse(r, g, set)
	default:
		e.packDense(r, g, set)
		e.sums.markRows(r, g, set.Sparse)
	}
}

// PackColumns packs a panel for the group. n is the number of points that a matrix has entries for.
func (e *Evaluator[T]) PackColumns(c *Columns[T], g *Group, p *Panel, n int) {
	c.of(p)
	if e.Tabulates(g) {
		return
	}
	c.self = grow(c.self, simd.Width)
	switch {
	case g.Base == MatrixRow:
		packMatrixPanel(c, g, p, n)
	case g.Base == Factored:
		e.packFactorColumns(c, g, p, n)
	case g.Base == userValue:
		e.user.packPanel(c, g, p)
	case g.Base == Looked:
		packLookedPanel(c, g, p, e.Square)
	case g.text != nil:
		e.sequences.packPanel(c, g, p)
	case e.sparse(g):
		e.packSparsePanel(c, g, p)
	default:
		e.packDensePanel(c, g, p)
		e.sums.markColumns(c, g, p.index != nil)
	}
}

// PackRowFactors packs of the points of a set what RowFactors needs. Gates need the numbers of the
// points alone.
func (e *Evaluator[T]) PackRowFactors(r *Rows[T], g *Group, set *Set) {
	if g.Spherical {
		e.PackRows(r, g, set)
		return
	}
	r.Len, r.ids = len(set.IDs), set.IDs
}

// PackColumnFactors packs of a panel what ColumnFactors needs, as PackRowFactors does.
func (e *Evaluator[T]) PackColumnFactors(c *Columns[T], g *Group, p *Panel, n int) {
	if g.Spherical {
		e.PackColumns(c, g, p, n)
		return
	}
	c.of(p)
}

// Base computes the bases of rows from..from+count-1 against the columns. from must be a multiple
// of 8, and dst have TileSize(count) elements: layer by layer, 32 for each row. ahead is memory
// that will be needed next, or nil: the assembly prefetches it while it computes.
func (e *Evaluator[T]) Base(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T],
	ahead []T) {
	if r.kept != nil {
		tableBase(dst, g, r, from, count, c)
		return
	}
	// Rows begin at a block of 8, in which the features of the 8 points lie side by side.
	var pack, self []T
	if g.Base != MatrixRow && !g.Alone() && !e.sparse(g) {
		pack, self = r.pack[from*g.Dim:], r.self[from:from+blocks(count)*simd.Rows]
	}
	switch {
	case g.Base == MatrixRow:
		matrixBase(dst, g, r.ids[from:from+count], c)
	case g.Base == Factored:
		e.productBase(dst, g, r, from, count, c)
	case g.Base == userValue:
		e.user.base(dst, g, r, from, count, c)
	case g.Base == Looked:
		lookedBase(dst, g, r, from, count, c)
	case g.text != nil:
		e.sequences.base(dst, g, r, from, count, c)
	case e.sparse(g):
		e.products.base(dst, g, r, from, count, c)
	case g.Base == SquaredDistance && !g.Direct[precision[T]()]:
		simd.Distance(dst, pack, c.pack, g.Dim, self, c.self, ahead)
	case g.Base == plainProduct || g.Base == CentredProduct:
		simd.Product(dst, pack, c.pack, g.Dim, ahead)
	default:
		e.sums.base(dst, g, r, from, count, c)
	}
}

// packFactors packs the rows of a product for each of its factors.
func (e *Evaluator[T]) packFactors(r *Rows[T], g *Group, set *Set) {
	r.factors = resize(r.factors, len(g.Factors))
	if g.missing != kernelspec.MissingUnsaid {
		r.packRowFlags(g, set)
	}
	for i := range g.Factors {
		e.PackRows(&r.factors[i], g.Factors[i].Group, set)
	}
	if g.centre != nil {
		r.packRowMeans(g, set)
	}
	// The diagonal is needed for the norms alone.
	if !g.Spherical {
		return
	}
	for i := range g.Factors {
		to := e.first(r.self[:r.Len], i)
		switch f := g.Factors[i].Group; {
		case g.centre != nil && f.Members.UnitDiagonal() && f.Members[0].losesConstant():
			clear(to)
		case f.Members.UnitDiagonal():
			fill(to, 1)
		case g.centre != nil:
			e.evaluateLess(to, r.factors[i].self, &f.Members[0])
		default:
			e.Transform(to, r.factors[i].self, &f.Members[0])
		}
		e.times(r.self[:r.Len], to, g.Factors[i].Power, i)
	}
	if g.centre != nil {
		centreSelves(g.centre, r.self[:r.Len], r.means)
	}
	if g.missing != kernelspec.MissingUnsaid {
		fillSelves(&g.lacking, r.self[:r.Len], r.flags)
	}
}

// packFactorColumns packs a panel for each factor of a product. The diagonal is left for later.
func (e *Evaluator[T]) packFactorColumns(c *Columns[T], g *Group, p *Panel, n int) {
	c.factors = resize(c.factors, len(g.Factors))
	for i := range g.Factors {
		e.PackColumns(&c.factors[i], g.Factors[i].Group, p, n)
	}
	if g.missing != kernelspec.MissingUnsaid {
		copy(c.flags[:], p.row(g.flag))
	}
	if g.centre != nil {
		c.packColumnMeans(e, g, p)
	}
	c.lazy = g
}

// productBase multiplies the kernels of the factors, some rows at a time.
func (e *Evaluator[T]) productBase(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	for at := 0; at < count; at += productRows {
		// Some rows at a time, the values of the factors stay in the cache until they are
		// multiplied.
		n := min(productRows, count-at)
		part := dst[at*simd.Width : (at+n)*simd.Width]
		for i := range g.Factors {
			f := g.Factors[i].Group
			e.factor = grow(e.factor, f.TileSize(n))
			e.Base(e.factor, f, &r.factors[i], from+at, n, &c.factors[i], nil)
			to := e.first(part, i)
			if g.centre != nil {
				e.evaluateLess(to, e.factor[:f.Used(n)], &f.Members[0])
			} else {
				e.Transform(to, e.factor[:f.Used(n)], &f.Members[0])
			}
			e.times(part, to, g.Factors[i].Power, i)
		}
		if g.centre != nil {
			centreValues(g.centre, part, r.means[from+at:from+at+n], &c.means)
		}
		if g.missing != kernelspec.MissingUnsaid {
			fillValues(&g.lacking, part, r.flags[from+at:from+at+n], &c.flags)
		}
	}
	// The padding of the last block is not a value.
	clear(dst[count*simd.Width:])
}
