package kernels

import (
	"bigmkl/internal/simd"
)

// Rows is the row side of a group's tiles: q points packed in blocks of 8 as [block][feature][8], the last block padded
// with zeros, or by their non-zeros, padded to whole strands.
type Rows[T simd.Real] struct {
	Len   int
	pack  []T
	self  []T     // base of each point with itself
	ids   []int32 // rows of a matrix
	start []int   // of each point's non-zeros, if the rows are these
	index []int32
	value []T
	moved []T     // see Evaluator.moved
	bits  bitText // of sequences
	// or, one a layer:
	profiles []profile[T]
	factors  []Rows[T] // of a product
	dotted   dotted    // of a user's kernel
}

// RowsBytes bounds what the packed rows of q points of the group take, if they are not by their non-zeros.
func RowsBytes(g *Group, q int, element int64) int64 {
	if g.text != nil {
		rows, _ := g.textBytes(q, element)
		return rows
	}
	if g.Base == Factored {
		rows, _ := g.productBytes(q, element)
		return rows
	}
	if g.Base == Foreign {
		return g.userBytes(q, element)
	}
	return int64(blocks(q)*simd.Rows*(g.Dim+1)+q) * element
}

// ColumnsBytes is the same of a packed panel.
func ColumnsBytes(g *Group, element int64) int64 {
	if g.text != nil {
		_, columns := g.textBytes(0, element)
		return columns
	}
	if g.Base == Factored {
		_, columns := g.productBytes(0, element)
		return columns
	}
	if g.Base == Foreign {
		return g.userBytes(simd.Width, element)
	}
	return int64(g.Dim) * simd.Width * element
}

// RowsBytes bounds what the packed rows of q points of a set take.
func (e *Evaluator[T]) RowsBytes(g *Group, set *Set, q int) int64 {
	size := int64(4 << precision[T]())
	if g.Base == Factored {
		sum := int64(q) * size
		for _, f := range g.Factors {
			sum += e.RowsBytes(f.Group, set, q)
		}
		return sum
	}
	if e.Sparse(g) {
		return int64(set.Nonzeros()+q*simd.Rows/2)*(size+4) + int64(q)*(size+8)
	}
	return RowsBytes(g, q, size)
}

// PackRows packs the points of a set for the group.
func (e *Evaluator[T]) PackRows(r *Rows[T], g *Group, set *Set) {
	q := len(set.IDs)
	r.Len, r.ids = q, set.IDs
	r.self = grow(r.self, blocks(q)*simd.Rows)
	switch {
	case g.Base == MatrixRow:
		for i, id := range set.IDs {
			r.self[i] = matrixAt[T](g, int(id), int(id))
		}
	case g.Base == Factored:
		e.packFactors(r, g, set)
	case g.Base == Foreign:
		e.packUser(r, g, set)
	case g.text != nil:
		e.packText(r, g, set)
	case e.Sparse(g):
		e.packSparse(r, g, set)
	default:
		e.packDense(r, g, set)
	}
}

func (e *Evaluator[T]) packDense(r *Rows[T], g *Group, set *Set) {
	r.pack = grow(r.pack, blocks(r.Len)*simd.Rows*g.Dim)
	switch {
	case set.Sparse:
		e.scatter(r, g, set.byFeature())
	case set.brief || e.few:
		e.interleave(r, g, set)
	default:
		e.gather(r, g, set)
	}
	for b := range blocks(r.Len) {
		a, self := r.pack[b*simd.Rows*g.Dim:(b+1)*simd.Rows*g.Dim], r.self[b*simd.Rows:(b+1)*simd.Rows]
		if g.Base == Overlap {
			for i := range self {
				self[i] = strided(a[i:], g.Dim, simd.Rows)
			}
			continue
		}
		simd.RowSquares(self, a, g.Dim)
	}
}

// interleave packs dense points one by one.
func (e *Evaluator[T]) interleave(r *Rows[T], g *Group, set *Set) {
	shift := e.shift(g)
	for i := range blocks(r.Len) * simd.Rows {
		to := r.pack[i/simd.Rows*simd.Rows*g.Dim+i%simd.Rows:]
		switch {
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

// gather packs dense points that are laid out by feature.
func (e *Evaluator[T]) gather(r *Rows[T], g *Group, set *Set) {
	flat := flatten[T](set, e.centred(g), e.bank.Shift)
	stride := set.stride()
	for b := range blocks(r.Len) {
		to := r.pack[b*simd.Rows*g.Dim:]
		from := flat[b*simd.Rows:]
		if g.Features == nil {
			for j := range g.Dim {
				*(*[simd.Rows]T)(to[j*simd.Rows:]) = *(*[simd.Rows]T)(from[j*stride:])
			}
			continue
		}
		for k, j := range g.Features {
			*(*[simd.Rows]T)(to[k*simd.Rows:]) = *(*[simd.Rows]T)(from[int(j)*stride:])
		}
	}
}

// scatter packs every feature of sparse points.
func (e *Evaluator[T]) scatter(r *Rows[T], g *Group, x *entries) {
	size, shift := simd.Rows*g.Dim, e.shift(g)
	for b := range blocks(r.Len) {
		block := r.pack[b*size : (b+1)*size]
		clear(block)
		for k := 0; e.centred(g) && k < g.Dim; k++ {
			row, c := block[k*simd.Rows:][:min(simd.Rows, r.Len-b*simd.Rows)], T(shift[g.feature(k)])
			for i := range row {
				row[i] -= c
			}
		}
	}
	for k := range g.Dim {
		j := g.feature(k)
		c := T(shift[j])
		for at := x.start[j]; at < x.start[j+1]; at++ {
			i := int(x.point[at])
			r.pack[i/simd.Rows*size+k*simd.Rows+i%simd.Rows] = T(x.value[at]) - c
		}
	}
}

func (e *Evaluator[T]) packSparse(r *Rows[T], g *Group, set *Set) {
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

// centre makes the squared norms of sparse points those of centred ones. Centred products follow from plain ones:
// (x-s)'(z-s) = x'z - moved(x) - moved(z) with moved(x) = s'x - |s|^2/2.
func (e *Evaluator[T]) centre(moved, self []T, g *Group, index [][]int32, value [][]float32) {
	clear(moved)
	for i := range index {
		index, value := g.clip(index[i], value[i])
		s := -g.origin / 2
		for k, j := range index {
			s += float64(float64(e.bank.Shift[j]) * float64(value[k]))
		}
		moved[i] = T(s)
		self[i] -= moved[i] + moved[i]
	}
}

// square is |x|^2 of a sparse point.
func (e *Evaluator[T]) square(id int) T {
	if precision[T]() == 0 {
		return T(e.bank.square32[id])
	}
	return T(e.bank.square64[id])
}

// shift is what is subtracted from the features of the group.
func (e *Evaluator[T]) shift(g *Group) []float32 {
	if e.centred(g) {
		return e.bank.Shift
	}
	return e.zeros(len(e.bank.Shift))
}

func (e *Evaluator[T]) zeros(n int) []float32 {
	e.none = zeros(e.none, n)
	return e.none[:n]
}
