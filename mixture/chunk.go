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
		c.drift[m] = sum(s.w[m*n : (m+1)*n])
	}
	c.slope, c.a, c.h = make([]float64, size), make([]float64, k*size), make([]float64, size*size)
	for i, t := range rows {
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

// solve returns l of the chunk at a larger D, and the multipliers of the sums. It returns nil if
// there is none within what rounding shows. accuracy is what D may miss of the best.
func (c *chunk) solve(accuracy float64) (l, e []float64) {
	p := newInterior(c)
	p.run(accuracy)
	e = p.y
	// Variables at their bounds are put there if that costs nothing that counts.
	x, free := c.settle(p, true), c.settle(p, false)
	if x == nil || free != nil && c.gain(x) < snapped*c.gain(free) {
		x = free
	}
	if x == nil {
		return nil, e
	}
	// The direction is one of ascent unless the solution is worse than the start by rounding.
	for range 10 {
		if c.gain(x) > 0 {
			return x, e
		}
		for v := range x {
			x[v] = (x[v] + c.l[v]) / 2
		}
	}
	return nil, e
}

const (
	snapped    = 0.9   // share of the gain that variables at their bounds have to leave
	nearBound  = 1e-5  // of the largest l_t, for variables that lie at a bound
	sumsOff    = 1e-12 // of the sum of |w_c| that a repair may leave
	repairings = 20
)

// settle returns the solution of p with the sums exactly kept, and with variables at their bounds that are
// meant to be there if snap is set. It returns nil if the sums cannot be kept so.
func (c *chunk) settle(p *interior, snap bool) []float64 {
	x, held := slices.Clone(p.x), make([]bool, len(p.x))
	if snap {
		c.snap(p, x, held)
	}
	if !c.repair(x, held) {
		return nil
	}
	return x
}

// snap puts variables at the bounds that their multipliers press them to.
func (c *chunk) snap(p *interior, x []float64, held []bool) {
	largest := 0.0
	for i := range c.rows {
		largest = max(largest, sum(x[c.start[i]:c.start[i+1]]))
	}
	hold := func(from, to int) {
		for v := from; v < to; v++ {
			held[v] = true
		}
	}
	for i := range c.rows {
		from, to := c.start[i], c.start[i+1]
		total := sum(x[from:to])
		if c.Drop {
			for v := from; v < to; v++ {
				if x[v] < nearBound*largest && x[v] < p.z[v]*largest {
					x[v], held[v] = 0, true
				}
			}
		} else if press := least(p.z[from:to]); total < nearBound*largest && total < press*largest {
			clear(x[from:to])
			hold(from, to)
			continue
		}
		total = sum(x[from:to])
		if room := c.cost[i] - total; room < nearBound*c.cost[i] && room < p.v[i]*c.cost[i] && total > 0 {
			for v := from; v < to; v++ {
				x[v] *= c.cost[i] / total
			}
			hold(from, to)
		}
	}
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

func least(x []float64) float64 {
	m := math.Inf(1)
	for _, v := range x {
		m = min(m, v)
	}
	return m
}

// repair moves variables that are not held by as little as brings the sums back to what they were,
// each in proportion to its distance from its bounds. It reports whether that was possible.
func (c *chunk) repair(x []float64, held []bool) bool {
	size, k := len(x), c.components()
	for range repairings {
		weight := make([]float64, size)
		for i := range c.rows {
			from, to := c.start[i], c.start[i+1]
			room := c.cost[i] - sum(x[from:to])
			for v := from; v < to; v++ {
				if d := min(x[v], room); !held[v] && d > 0 {
					weight[v] = d * d
				}
			}
		}
		off, scale := c.sumsOff(x)
		if balanced(off, scale) {
			return c.within(x)
		}
		step := leastSquares(c.a, weight, off, k)
		for v := range x {
			to := x[v]
			for m, y := range step {
				to -= weight[v] * c.a[m*size+v] * y
			}
			// No variable goes most of the way to 0 at once; the others make up for it next time.
			x[v] = max(to, x[v]/10)
		}
		for i, cost := range c.cost {
			part := x[c.start[i]:c.start[i+1]]
			if total := sum(part); total > cost {
				for v := range part {
					part[v] *= cost / total
				}
			}
		}
	}
	off, scale := c.sumsOff(x)
	return balanced(off, scale) && c.within(x)
}

// sumsOff returns what the sums of w_c are off by, and for each the sum of the absolute values of its
// terms in the chunk.
func (c *chunk) sumsOff(x []float64) (off, scale []float64) {
	size := len(x)
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

// within reports whether all totals are within their bounds. One that is above its own by rounding is
// brought back.
func (c *chunk) within(x []float64) bool {
	for i := range c.rows {
		part := x[c.start[i]:c.start[i+1]]
		total := sum(part)
		if total > c.cost[i]*(1+1e-12) || math.IsNaN(total) {
			return false
		}
	}
	return true
}
