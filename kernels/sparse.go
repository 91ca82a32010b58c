package kernels

import (
	"bigmkl/internal/simd"
)

// Sparse points cost what their non-zeros do: a row multiplies each of its non-zeros by the 32
// numbers that a dense panel has for the feature. An entry costs 1.8 times what a dense feature
// does, so a third of non-zeros already pays. Products are summed in the order of the row's
// non-zeros; k(x,z) and k(z,x) can therefore differ by rounding.
//
// Sparse points are not centred, as that would fill in their zeros. Centred products follow from
// plain ones: with s the shift and moved(x) = s'x - |s|^2/2,
//
//	(x-s)'(z-s) = x'z - moved(x) - moved(z).

// packSparse packs the non-zeros of the points of a set.
func (e *packer[T]) packSparse(r *Rows[T], g *Group, set *Set) {
	r.start, r.index, r.value = r.start[:0], r.index[:0], r.value[:0]
	for i := range set.IDs {
		index, value := g.clip(set.Index[i], set.Value[i])
		from := len(r.value)
		r.start = append(r.start, from)
		r.index = append(r.index, index...)
		for range simd.Padded(len(index)) - len(index) {
			r.index = append(r.index, 0)
		}
		r.value = pad(r.value, value)
		if g.Features == nil {
			// The norm over all features is known; over a range it is summed here, in the same
			// order.
			r.self[i] = e.square(int(set.IDs[i]))
		} else {
			r.self[i] = simd.SparseSquare(r.value[from:])
		}
	}
	r.start = append(r.start, len(r.value))
	if g.Base == CentredProduct {
		r.moved = grow(r.moved, len(r.self))
		e.centre(r.moved, r.self, g, set.Index, set.Value)
	}
}

// packSparsePanel takes the rows of a panel as they are. The norms of points that the bank knows
// were computed when it was made; the norms of others, or over a range of features, are computed
// here.
func (e *packer[T]) packSparsePanel(c *Columns[T], g *Group, p *Panel) {
	e.widen(c, p.Dense)
	c.place = p.place
	clear(c.self)
	for j := range p.Len {
		if g.Features == nil && !p.unknown {
			c.self[j] = e.square(p.id(j))
			continue
		}
		_, value := g.clip(p.index[j], p.value[j])
		e.work = pad(e.work[:0], value)
		// Rows that a model is asked about are not among the points, and the bank does not know
		// their norms.
		c.self[j] = simd.SparseSquare(e.work)
	}
	if g.Base == CentredProduct {
		c.moved = grow(c.moved, simd.Width)
		e.centre(c.moved, c.self, g, p.index, p.value)
	}
}

// centre computes moved(x) of some points, and makes their squared norms those of centred points.
func (e *packer[T]) centre(moved, self []T, g *Group, index [][]int32, value [][]float32) {
	clear(moved)
	for i := range index {
		index, value := g.clip(index[i], value[i])
		s := -g.origin / 2
		for k, j := range index {
			// The sum is float64 and is rounded once; the conversion of the product keeps it from
			// being fused.
			s += float64(float64(e.bank.Shift[j]) * float64(value[k]))
		}
		moved[i] = T(s)
		self[i] -= moved[i] + moved[i]
	}
}

// sparseProducts multiplies non-zeros of rows with panels. It owns scratch memory of one goroutine.
type sparseProducts[T simd.Real] struct {
	index []int32 // non-zeros of rows as places in a panel
}

// base computes products, or squared distances from them, of rows from..from+count-1.
func (e *sparseProducts[T]) base(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	start := r.start[from : from+count+1]
	index := e.placed(r.index[start[0]:start[count]], c.place)
	value := r.value[start[0]:start[count]]
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
	// What fills up the last block is zero, so distances made from it are finite.
	clear(dst[count*simd.Width:])
	// Distances follow from the products in place: |x|^2 + |z|^2 - 2 x'z.
	for b := 0; b < blocks(count) && g.Base == SquaredDistance; b++ {
		self := r.self[from+b*simd.Rows : from+(b+1)*simd.Rows]
		simd.DistanceFromDot(dst[b*tile:(b+1)*tile], self, c.self)
	}
}

// placed translates features to rows of a panel; place nil means that they are the same.
func (e *sparseProducts[T]) placed(index, place []int32) []int32 {
	if place == nil {
		return index
	}
	e.index = grow(e.index, len(index))
	for i, j := range index {
		e.index[i] = place[j]
	}
	return e.index
}
