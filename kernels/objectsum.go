package kernels

import (
	"slices"

	"bigmkl/internal/simd"
)

// The sum f(x) = sum_i delta_i k(x_i, x) of a kernel of objects depends on the objects of x alone. On one column it has a
// value for each object. On two columns, with values K of the objects of one and L of the objects of the other, it is an entry of the matrix
//
//	F = K S L,    S[a,b] = sum of delta_i over the points x_i with the objects a and b,
//
// (the vec trick of Airola and Pahikkala 2018). K S takes q m operations for q points and m objects. Where pairs of objects are few
// beside the points, F is a matrix product, and a pass looks one number up for each point. Where they are many, a pass takes a product
// of two vectors for each point, which are as long as the list of the objects in use, at most q.

// ObjectSum is the sum of a kernel of objects over some points. Its memory is used again for other points.
type ObjectSum struct {
	group  *Group
	values []float64 // by the objects of the columns
	left   []float64 // K S, [object of the second column in use][object of the first]
	right  []int32   // these objects of the second column, ascending
	// Without values of all pairs, the vectors of the objects of each column, [object][object in use].
	firsts, seconds []float64
}

const (
	// mostPairs is the number of pairs of objects for each point up to which a sum has a value for each pair, and mostNumbers the number
	// of numbers for each point up to which it has vectors of objects. Of few points it may have some more.
	mostPairs   = 10
	mostNumbers = 4
	someNumbers = 1 << 21
)

// hasPairs reports whether a sum has values for all pairs of objects, for so many points in all.
func (g *looked) hasPairs(points int) bool { return g.counts[0]*g.counts[1] <= mostPairs*points }

// inUse bounds the number of objects of the second column that a sum over q points has vectors of.
func (g *looked) inUse(q int) int { return min(len(g.terms)*q, g.counts[1]) }

// SumsObjects reports whether sums of the group over q points are computed by objects, for so many points in all.
func SumsObjects(points, q int, g *Group) bool {
	if g.Base != Looked || g.Spherical || g.gated || len(g.Members) != 1 {
		return false
	}
	if len(g.columns) != 2 {
		return len(g.columns) == 1
	}
	return g.hasPairs(points) || (g.counts[0]+g.counts[1])*g.inUse(q) <= max(mostNumbers*points, someNumbers)
}

// ObjectSumBytes bounds what a sum of the group over q of so many points takes, in bytes, and what is needed while it is made.
func ObjectSumBytes(points, q int, g *Group) (kept, made int64) {
	first := int64(g.counts[0])
	if len(g.columns) == 1 {
		return 8 * first, 0
	}
	second, used := int64(g.counts[1]), int64(g.inUse(q))
	kept = used * (8*first + 8*int64(len(g.terms)))
	if g.hasPairs(points) {
		return kept + 8*first*second, 8 * (used*(first+simd.Rows+width) + (first+simd.Rows)*width)
	}
	return kept + 8*used*(first+second), 0
}

// Make computes the sum over the points of a set, with the factor delta of each, for so many points in all.
func (s *ObjectSum) Make(g *Group, points int, set *Set, delta []float64) {
	s.group = g
	if len(g.columns) == 1 {
		s.makeOne(set, delta)
		return
	}
	s.findRight(set)
	first := g.counts[0]
	s.left = grow(s.left, len(s.right)*first)
	clear(s.left)
	for t := range g.terms {
		term := &g.terms[t]
		for i, d := range delta {
			if d == 0 {
				continue
			}
			a, b := g.sides(term, set, i)
			at, _ := slices.BinarySearch(s.right, b)
			addScaled(s.left[at*first:(at+1)*first], term.left(), a, term.sign*d)
		}
	}
	if g.hasPairs(points) {
		s.multiply(g.terms[0].right())
	} else {
		s.turn(g.terms[0].right())
	}
}

// turn makes the vectors of the objects of both columns.
func (s *ObjectSum) turn(t *valueTable) {
	first, second, k := s.group.counts[0], s.group.counts[1], len(s.right)
	s.values, s.firsts, s.seconds = nil, grow(s.firsts, first*k), grow(s.seconds, second*k)
	for a := range first {
		for r := range k {
			s.firsts[a*k+r] = s.left[r*first+a]
		}
	}
	for b := range second {
		row := t.row(b)
		for r, o := range s.right {
			s.seconds[b*k+r] = row[o]
		}
	}
}

// dot is the product of two vectors of the same length, in four sums.
func dot(x, y []float64) float64 {
	var a, b, c, d float64
	y = y[:len(x)]
	for ; len(x) >= 4; x, y = x[4:], y[4:] {
		a += float64(x[0] * y[0])
		b += float64(x[1] * y[1])
		c += float64(x[2] * y[2])
		d += float64(x[3] * y[3])
	}
	for i, v := range x {
		a += float64(v * y[i])
	}
	return (a + b) + (c + d)
}

// left and right are the values of the factors of a term whose column points differ in the first and in the second column.
func (t *lookTerm) left() *valueTable  { return t.of(0).table }
func (t *lookTerm) right() *valueTable { return t.of(1).table }

// of returns the factor of a term of two for the objects of column points in a column.
func (t *lookTerm) of(column int) *lookFactor {
	if t.factors[0].col == column {
		return &t.factors[0]
	}
	return &t.factors[1]
}

// sides returns the objects of row point i that the factors of a term for the first and the second column look up.
func (g *looked) sides(t *lookTerm, set *Set, i int) (a, b int32) {
	return int32(featureOf(i, g.columns[t.of(0).row], set)), int32(featureOf(i, g.columns[t.of(1).row], set))
}

// addScaled adds d times the values of object a with all objects to a row.
func addScaled(row []float64, t *valueTable, a int32, d float64) {
	simd.AddTo(row, t.row(int(a)), d)
}

// makeOne computes the sum of a kernel on one column.
func (s *ObjectSum) makeOne(set *Set, delta []float64) {
	g := s.group
	s.values = grow(s.values, g.counts[0])
	clear(s.values)
	for t := range g.terms {
		f := &g.terms[t].factors[0]
		for i, d := range delta {
			if d != 0 {
				addScaled(s.values, f.table, int32(featureOf(i, g.columns[f.row], set)), g.terms[t].sign*d)
			}
		}
	}
}

// findRight finds the objects of the second column that the points look up.
func (s *ObjectSum) findRight(set *Set) {
	s.right = s.right[:0]
	for t := range s.group.terms {
		for i := range set.IDs {
			_, b := s.group.sides(&s.group.terms[t], set, i)
			s.right = append(s.right, b)
		}
	}
	slices.Sort(s.right)
	s.right = slices.Compact(s.right)
}

// multiply sets values to the product of left with the values of the objects of the second column, tile by tile.
func (s *ObjectSum) multiply(t *valueTable) {
	first, second, k := s.group.counts[0], s.group.counts[1], len(s.right)
	s.values = grow(s.values, first*second)
	if k == 0 {
		clear(s.values)
		return
	}
	// All objects of the first column are the rows, packed once, in blocks of 8.
	rows := make([]float64, blocks(first)*simd.Rows*k)
	for a := range first {
		to := rows[a/simd.Rows*k*simd.Rows+a%simd.Rows:]
		for r := range k {
			to[r*simd.Rows] = s.left[r*first+a]
		}
	}
	columns := make([]float64, k*width)
	tiles := make([]float64, BaseSize(first))
	for from := 0; from < second; from += width {
		lanes := min(width, second-from)
		clear(columns)
		for r, b := range s.right {
			copy(columns[r*width:r*width+lanes], t.row(int(b))[from:from+lanes])
		}
		simd.Product(tiles, rows, columns, k, nil)
		for a := range first {
			copy(s.values[a*second+from:a*second+from+lanes], tiles[a*width:a*width+lanes])
		}
	}
}

// At sets dst to the sum at the points of a panel. Lanes behind the last point have the value of the first objects.
func (s *ObjectSum) At(dst *[width]float64, p *Panel) {
	g := s.group
	first := (*[width]float32)(p.row(g.columns[0]))
	if len(g.columns) == 1 {
		for j, a := range first {
			dst[j] = s.values[int(a)]
		}
		return
	}
	second := (*[width]float32)(p.row(g.columns[1]))
	if s.values == nil {
		k := len(s.right)
		for j, a := range first {
			b := int(second[j])
			dst[j] = dot(s.firsts[int(a)*k:(int(a)+1)*k], s.seconds[b*k:(b+1)*k])
		}
		return
	}
	count := g.counts[1]
	for j, a := range first {
		dst[j] = s.values[int(a)*count+int(second[j])]
	}
}
