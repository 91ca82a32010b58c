package mixture

import (
	"math"
	"slices"
)

// A chunk is the projection on some rows while all others stay: the variables are l_tc of these rows,
// and the sums of w_c have to stay what they are,
//
//	max  slope'd - d'H d/2 + E(l + d) - E(l),   A d = 0,  l + d >= 0,  sum_c (l + d)_tc <= C_t,
//
// with E = sum_t l_t H(Q_t), or 0. Column (t, c) of A has q_tc of the own components of t and -1 at c:
// it is what w changes by.

// chunk has the numbers of this problem: slope is the gradient of D at l without the entropy, and h has
// the products of the columns of A in the spaces of the kernels.
type chunk struct {
	*state
	rows  []int
	start []int // first variable of each row; one more at the end
	l     []float64
	slope []float64
	h     []float64 // size x size
	a     []float64 // components x size
	cost  []float64 // of each row
	// drift is what all of the sums of w_c are off by before the chunk, which takes it back.
	drift []float64
}

// newChunk gathers the rows. blocks has the matrix of each kernel on them, and nil of one that no
// component has.
func newChunk(s *state, rows []int, blocks [][]float64) *chunk {
	c := &chunk{state: s, rows: rows}
	size := 0
	for _, t := range rows {
		c.start = append(c.start, size)
		size += len(s.l.of(t))
		c.l = append(c.l, s.l.of(t)...)
		c.cost = append(c.cost, s.Cost[t])
	}
	c.start = append(c.start, size)
	k, n := s.components(), s.rows()
	c.drift = make([]float64, k)
	for m := range c.drift {
		// The drift would be 0 without rounding. The rounding of many chunks adds up.
		c.drift[m] = sum(s.w[m*n : (m+1)*n])
	}
	c.slope, c.a, c.h = make([]float64, size), make([]float64, k*size), make([]float64, size*size)
	for i, t := range rows {
		// The slope of D by l_tc has no multiplier in it: multipliers enter by the constraint A d = 0
		// alone.
		level := s.hinges.rise(t)
		first, _ := s.own(t)
		from, _ := s.other(t)
		for v := c.start[i]; v < c.start[i+1]; v++ {
			at := from + v - c.start[i]
			c.slope[v] = level + s.level(at, t)
			for j, q := range s.q.of(t) {
				c.a[(first+j)*size+v] = q
			}
			c.a[at*size+v] = -1
		}
	}
	q := len(rows)
	for i, t := range rows {
		for j := 0; j <= i; j++ {
			c.fillBlock(blocks, i, j, t, rows[j], i*q+j, size)
		}
	}
	return c
}

// fillBlock sets H of the variables of the rows t and u, which are number i and j of the chunk; at is
// the place of the two in matrices of kernels.
func (c *chunk) fillBlock(blocks [][]float64, i, j, t, u, at, size int) {
	s := c.state
	value := func(component int) float64 { return blocks[s.Kernels[component]][at] }
	first, _ := s.own(t)
	from, to := s.other(t)
	qt, qu := s.q.of(t), s.q.of(u)
	if s.Positive[t] == s.Positive[u] {
		// Rows of one class share their own components, with weights q_t and q_u, and they share the
		// components of the other class with weights -1 and -1. Two different components have no
		// product, as each has a space of its own.
		common := 0.0
		for m := range qt {
			if qt[m] != 0 && qu[m] != 0 {
				common += qt[m] * qu[m] * value(first+m)
			}
		}
		for a := from; a < to; a++ {
			for b := from; b < to; b++ {
				x := common
				if a == b {
					x += value(a)
				}
				c.set(c.start[i]+a-from, c.start[j]+b-from, size, x)
			}
		}
		return
	}
	// The variables of t are components of the class of u, and the variables of u of the class of
	// t.
	for a := range qu {
		for b := range qt {
			x := -qt[b]*value(first+b) - qu[a]*value(from+a)
			c.set(c.start[i]+a, c.start[j]+b, size, x)
		}
	}
}

// set sets an element of H and its mirror image.
func (c *chunk) set(a, b, size int, x float64) { c.h[a*size+b], c.h[b*size+a] = x, x }

// gain is by how much D grows from l to x.
func (c *chunk) gain(x []float64) float64 {
	size := len(c.l)
	d := make([]float64, size)
	sum := 0.0
	for v := range d {
		d[v] = x[v] - c.l[v]
		sum += c.slope[v] * d[v]
	}
	for v, dv := range d {
		if dv == 0 {
			continue
		}
		row, dot := c.h[v*size:(v+1)*size], 0.0
		for u, du := range d {
			dot += row[u] * du
		}
		// The quadratic term is computed from H alone and not from changes of f, because f is brought
		// up to date only once the chunk has been accepted.
		sum -= dv * dot / 2
	}
	if !c.Drop {
		for i := range c.rows {
			sum += spread(x[c.start[i]:c.start[i+1]]) - spread(c.l[c.start[i]:c.start[i+1]])
		}
	}
	return sum
}

// spread is l_t H(Q_t).
//
// It is concave and homogeneous of degree 1 in l, and 0 for l = 0, where H itself is not defined.
func spread(l []float64) float64 {
	total, sum := 0.0, 0.0
	for _, x := range l {
		total += x
	}
	for _, x := range l {
		if x > 0 {
			sum -= x * math.Log(x/total)
		}
	}
	return sum
}

// rowOf returns the place among the rows of the chunk of the row of variable v.
func (c *chunk) rowOf(v int) int {
	i, found := slices.BinarySearch(c.start, v)
	if found {
		return i
	}
	return i - 1
}

// sumsOff returns what the sums of w_c are off by, and for each the sum of the absolute values of its
// terms in the chunk.
func (c *chunk) sumsOff(x []float64) (off, scale []float64) {
	size := len(x)
	// scale is what rounding is relative to: terms of both signs may cancel to a sum that is far
	// smaller than they are.
	off, scale = slices.Clone(c.drift), make([]float64, c.components())
	for m := range off {
		for v, a := range c.a[m*size : (m+1)*size] {
			off[m] += a * (x[v] - c.l[v])
			scale[m] += math.Abs(a) * (x[v] + c.l[v])
		}
	}
	return off, scale
}

// balanced reports whether sums are off by rounding alone.
func balanced(off, scale []float64) bool {
	for m, x := range off {
		if !(math.Abs(x) <= sumsOff*scale[m]) {
			return false
		}
	}
	return true
}

// within reports whether all totals are within their bounds, up to rounding.
func (c *chunk) within(x []float64) bool {
	for i := range c.rows {
		// A total above C_t by more than rounding would make the certificate wrong: D would bound
		// nothing.
		part := x[c.start[i]:c.start[i+1]]
		total := sum(part)
		if total > c.cost[i]*(1+1e-12) || math.IsNaN(total) {
			return false
		}
	}
	return true
}
