package kernels

import (
	"math/bits"

	"bigmkl/internal/simd"
)

// Sums over the differences of sparse points take few features. A feature that is 0 at the 8 points of a block of rows
// and at the 32 of a panel adds 0 to each sum, in every base that is summed so. The top and the bottom of the images of
// MNIST are such features. To skip them changes no bit.

// usedShare is the part of the features of a group up to which those that are not 0 are copied together. To copy a
// feature takes 1.4 times as long as to sum over it: 8 of 84 features take 0.24 of the time of all, 25 take 0.7.
const usedShare = 0.35

// differences sums over the features that are used. It owns scratch memory of one goroutine.
type differences[T simd.Real] struct {
	list          []int32
	rows, columns []T
}

// has reports whether the base of the group is a sum over differences of features in this precision.
func (d *differences[T]) has(g *Group) bool {
	switch g.Base {
	case SquaredDistance:
		return g.Direct[precision[T]()]
	case absoluteDistance, chiSquareDistance, minimumSum:
		return true
	}
	return false
}

// usedWords is the number of words that have a bit for each of so many features.
func usedWords(dim int) int { return (dim + 63) / 64 }

// UsedBytes bounds what is kept of the used features of a group of sparse points beside GroupMemory.Rows and Columns, in
// bytes: of q packed rows, and of a packed panel with the copies.
func UsedBytes(element int64, g *Group, q int) (rows, columns int64) {
	has := new(differences[float32]).has
	if element == 8 {
		has = new(differences[float64]).has
	}
	if !has(g) {
		return 0, 0
	}
	words := int64(usedWords(g.Dim))
	return 8 * int64(blocks(q)) * words, int64(g.Dim)*((simd.Width+simd.Rows)*element+4) + 8*words
}

// markUsed sets the bits of the features that are not 0 at some of the points, which lie side by side, side for each
// feature.
func markUsed[T simd.Real](used []uint64, pack []T, dim, side int) {
	clear(used)
	for k := range dim {
		for _, v := range pack[k*side : (k+1)*side] {
			if v != 0 {
				used[k/64] |= 1 << (k % 64)
				break
			}
		}
	}
}

// markRows marks the features of each block of packed rows, if the points are sparse.
func (d *differences[T]) markRows(r *Rows[T], g *Group, sparse bool) {
	if r.used = r.used[:0]; !sparse || !d.has(g) {
		return
	}
	words, size := usedWords(g.Dim), simd.Rows*g.Dim
	r.used = grow(r.used, blocks(r.Len)*words)
	for b := range blocks(r.Len) {
		markUsed(r.used[b*words:(b+1)*words], r.pack[b*size:(b+1)*size], g.Dim, simd.Rows)
	}
}

// markColumns marks the features of a packed panel, if the points are sparse.
func (d *differences[T]) markColumns(c *Columns[T], g *Group, sparse bool) {
	if c.used = c.used[:0]; sparse && d.has(g) {
		c.used = grow(c.used, usedWords(g.Dim))
		markUsed(c.used, c.pack, g.Dim, simd.Width)
	}
}

// base makes the bases of packed rows from..from+count-1 on the columns. from is a multiple of 8.
func (d *differences[T]) base(dst []T, g *Group, r *Rows[T], from, count int, c *Columns[T]) {
	size := simd.Rows * g.Dim
	if len(r.used) == 0 || len(c.used) == 0 {
		sumDifferences(dst, g.Base, r.pack[from*g.Dim:], c.pack, g.Dim)
		return
	}
	words := usedWords(g.Dim)
	for b := range blocks(count) {
		at := from/simd.Rows + b
		to, pack := dst[b*tile:(b+1)*tile], r.pack[at*size:(at+1)*size]
		d.listUsed(r.used[at*words:(at+1)*words], c.used)
		n := len(d.list)
		switch {
		case n == 0:
			clear(to)
		case float64(n) > usedShare*float64(g.Dim):
			sumDifferences(to, g.Base, pack, c.pack, g.Dim)
		default:
			d.rows, d.columns = grow(d.rows, n*simd.Rows), grow(d.columns, n*simd.Width)
			for i, k := range d.list {
				*(*[simd.Rows]T)(d.rows[i*simd.Rows:]) = *(*[simd.Rows]T)(pack[int(k)*simd.Rows:])
				*(*[simd.Width]T)(d.columns[i*simd.Width:]) = *(*[simd.Width]T)(c.pack[int(k)*simd.Width:])
			}
			sumDifferences(to, g.Base, d.rows, d.columns, n)
		}
	}
}

// listUsed lists the features that are marked in one of two sets, ascending.
func (d *differences[T]) listUsed(rows, columns []uint64) {
	d.list = d.list[:0]
	for w, x := range rows {
		for x |= columns[w]; x != 0; x &= x - 1 {
			d.list = append(d.list, int32(w*64+bits.TrailingZeros64(x)))
		}
	}
}

// sumDifferences sums over the first features of packed points what two of them differ by, or their minima.
func sumDifferences[T simd.Real](dst []T, base Base, rows, columns []T, features int) {
	switch base {
	case SquaredDistance:
		simd.SquaredDiff(dst, rows, columns, features)
	case absoluteDistance:
		simd.AbsDiff(dst, rows, columns, features)
	case chiSquareDistance:
		simd.ChiSquare(dst, rows, columns, features)
	case minimumSum:
		simd.MinSum(dst, rows, columns, features)
	}
}
