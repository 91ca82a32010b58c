package kernels

import (
	"bigmkl/internal/simd"
)

// Dense bases are made from two packed layouts: rows as [block][feature][8] and columns as
// [feature][32]. For each feature the assembly reads 8 numbers of the rows and 32 of the columns,
// and adds to 256 sums that stay in registers. Sums over the features run in their order, one
// product after the other, so a value does not depend on its place in the tile.

// packDense packs the points of a set as blocks of 8.
func (e *packer[T]) packDense(r *Rows[T], g *Group, set *Set) {
	r.pack = grow(r.pack, blocks(r.Len)*simd.Rows*g.Dim)
	switch {
	// Sparse points are laid out where the group cannot take their non-zeros.
	case set.Sparse:
		e.scatter(r, g, set)
	case set.brief || e.few:
		e.interleave(r, g, set)
	default:
		e.gather(r, g, set)
	}
	for b := range blocks(r.Len) {
		a, self := r.pack[b*simd.Rows*g.Dim:(b+1)*simd.Rows*g.Dim],
			r.self[b*simd.Rows:(b+1)*simd.Rows]
		if g.Base == minimumSum {
			for i := range self {
				self[i] = strided(a[i:], g.Dim, simd.Rows)
			}
			continue
		}
		simd.RowSquares(self, a, g.Dim)
	}
}

// interleave packs dense points one by one.
func (e *packer[T]) interleave(r *Rows[T], g *Group, set *Set) {
	shift := e.shift(g)
	for i := range blocks(r.Len) * simd.Rows {
		// Features of a point lie 8 numbers apart.
		to := r.pack[i/simd.Rows*simd.Rows*g.Dim+i%simd.Rows:]
		switch {
		// Points that fill up the last block are zero, not zero less the shift: nobody reads their
		// values.
		case i >= r.Len:
			for k := range g.Dim {
				to[k*simd.Rows] = 0
			}
		case g.Features == nil:
			for j, x := range set.Dense[i*set.Dim : (i+1)*set.Dim] {
				to[j*simd.Rows] = T(x) - T(shift[j])
			}
		default:
			x := set.Dense[i*set.Dim : (i+1)*set.Dim]
			for k, j := range g.Features {
				to[k*simd.Rows] = T(x[j]) - T(shift[j])
			}
		}
	}
}

// gather packs dense points that have been laid out by feature: a block of a feature is one copy.
func (e *packer[T]) gather(r *Rows[T], g *Group, set *Set) {
	flat := flatten[T](set, e.centred(g), e.bank.Shift)
	stride := set.stride()
	for b := range blocks(r.Len) {
		to := r.pack[b*simd.Rows*g.Dim:]
		from := flat[b*simd.Rows:]
		if g.Features == nil {
			for j := range g.Dim {
				// Arrays of 8 are copied by one or two vector moves.
				*(*[simd.Rows]T)(to[j*simd.Rows:]) = *(*[simd.Rows]T)(from[j*stride:])
			}
			continue
		}
		for k, j := range g.Features {
			*(*[simd.Rows]T)(to[k*simd.Rows:]) = *(*[simd.Rows]T)(from[int(j)*stride:])
		}
	}
}

// scatter packs every feature of sparse points. What is not among the non-zeros is 0 less the
// shift.
func (e *packer[T]) scatter(r *Rows[T], g *Group, set *Set) {
	size, shift := simd.Rows*g.Dim, e.shift(g)
	for b := range blocks(r.Len) {
		block := r.pack[b*size : (b+1)*size]
		clear(block)
		for k := 0; e.centred(g) && k < g.Dim; k++ {
			row, c := block[k*simd.Rows:][:min(simd.Rows, r.Len-b*simd.Rows)],
				T(shift[g.feature(k)])
			for i := range row {
				row[i] -= c
			}
		}
	}
	// The features that are not zero overwrite the old values.
	put := func(i, k int, v float32) {
		r.pack[i/simd.Rows*size+k*simd.Rows+i%simd.Rows] = T(v) - T(shift[g.feature(k)])
	}
	// Features side by side are found in each point. Others are found in a layout by feature, which takes a sort of all
	// non-zeros.
	if g.together() {
		first := int32(g.feature(0))
		for i := range set.IDs {
			index, value := g.clip(set.Index[i], set.Value[i])
			for at, j := range index {
				put(i, int(j-first), value[at])
			}
		}
		return
	}
	x := set.byFeature()
	for k := range g.Dim {
		j := g.feature(k)
		for at := x.start[j]; at < x.start[j+1]; at++ {
			put(int(x.point[at]), k, x.value[at])
		}
	}
}

// packDensePanel packs the features of the group from a panel.
func (e *packer[T]) packDensePanel(c *Columns[T], g *Group, p *Panel) {
	c.place = nil
	switch {
	// The panel has only the rows in use, so each feature has to be looked up.
	case p.place != nil:
		e.expand(c, g, p)
	// Some of the features are gathered and centred in one call.
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
	if g.Base == minimumSum {
		for j := range simd.Width {
			c.self[j] = strided(c.pack[j:], g.Dim, simd.Width)
		}
		return
	}
	simd.ColumnSquares(c.self, c.pack, g.Dim)
}

// expand packs every feature of the group from a panel that leaves out rows of zeros.
func (e *packer[T]) expand(c *Columns[T], g *Group, p *Panel) {
	c.own = grow(c.own, g.Dim*simd.Width)
	c.pack = c.own
	shift := e.shift(g)
	for k := range g.Dim {
		j := g.feature(k)
		simd.Shift(c.pack[k*simd.Width:(k+1)*simd.Width], p.row(j), shift[j:j+1], 1)
	}
}

// widen takes the rows of a panel as they are: in float32 without a copy.
func (e *packer[T]) widen(c *Columns[T], rows []float32) {
	if same, ok := any(rows).([]T); ok {
		c.pack = same
		return
	}
	d := len(rows) / simd.Width
	c.own = grow(c.own, len(rows))
	c.pack = c.own
	simd.Shift(c.pack, rows, e.zeros(d), d)
}
