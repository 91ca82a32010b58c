package mixture

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Newton steps of a projection without H(Q). D is then quadratic, and this is an active-set
// method for a quadratic program (Nocedal and Wright 2006, section 16.5). All free variables
// move at once towards the largest D that keeps the sums of w_c, as far as the first bound. A
// variable or a total of a row that comes to its bound stays there for the steps that follow.
// After a step that meets no bound, the signs of the multipliers show which bounds to release.

// newtonMoves is the largest number of steps that follow each other.
const newtonMoves = 300

// leastPart is a share of the cost of a row. A variable below it differs from 0 by rounding
// alone.
const leastPart = 1e-14

// activeSet is a point of a chunk with the bounds at which a Newton step leaves variables and totals of rows.
type activeSet struct {
	*chunk
	x          []float64
	zero, full []bool
}

// newActiveSet returns the bounds at which variables and totals of x are. x stays as it is.
func newActiveSet(c *chunk, x []float64) *activeSet {
	a := &activeSet{c, slices.Clone(x), make([]bool, len(x)), make([]bool, len(c.rows))}
	for v, l := range x {
		// Only an exact 0 is a bound here. Steps of pairs and earlier moves put variables exactly
		// there.
		a.zero[v] = l == 0
	}
	for i := range c.rows {
		a.full[i] = sum(x[c.start[i]:c.start[i+1]]) >= c.cost[i]*(1-1e-12)
	}
	return a
}

// solve returns l of the chunk where Newton steps end, or nil if D is not larger there than where the chunk is.
// Where ctx ends, so do the steps.
func (c *activeSet) solve(ctx context.Context) []float64 {
	for range newtonMoves {
		if ctx.Err() != nil || !c.move() {
			break
		}
	}
	for v := range c.x {
		// The sums of w_c move by as little as the rounding of their terms, which the check of sums
		// allows.
		if c.x[v] < leastPart*c.cost[c.rowOf(v)] {
			c.x[v] = 0
		}
	}
	if !(c.gain(c.x) > 0) || !c.within(c.x) {
		return nil
	}
	return c.x
}

// drawnAway is the share of the strongest pull that a variable or total needs to be released
// from its bound.
const drawnAway = 0.1

// release frees variables and totals whose multipliers have the sign that leads away from the
// bound, and reports whether there are any. y has the multipliers of the k sums of w_c, and then
// of the totals of the rows in full.
func (c *activeSet) release(y []float64, full []int) bool {
	x, size, k := c.x, len(c.x), c.components()
	pull, most := make([]float64, size), 0.0
	total := make([]float64, len(c.rows))
	for place, i := range full {
		total[i] = y[k+place]
	}
	for v := range pull {
		row := c.h[v*size : (v+1)*size]
		// pull is the derivative of D by the variable at x, less the multipliers of the sums: at a
		// bound its sign shows whether the variable would grow if it were free.
		pull[v] = c.slope[v]
		for u, h := range row {
			pull[v] -= h * (x[u] - c.l[u])
		}
		for m := range k {
			pull[v] -= y[m] * c.a[m*size+v]
		}
		i := c.rowOf(v)
		switch {
		// Free variables are at the best that keeps the sums, so their pull is 0 except for rounding.
		case !c.zero[v]:
			pull[v] = 0
		default:
			pull[v] -= total[i]
		}
		most = max(most, pull[v])
	}
	for i := range c.rows {
		most = max(most, -total[i])
	}
	scale := 0.0
	for _, s := range c.slope {
		scale = max(scale, math.Abs(s))
	}
	// Below this the pulls are rounding of slopes of the size scale. The point is the optimum of
	// the chunk.
	if !(most > 1e-10*scale) {
		return false
	}
	for v, p := range pull {
		// Only strong pulls release a bound. To free all at once would let most of them run into the
		// bound again in the next step.
		if p > drawnAway*most {
			c.zero[v] = false
		}
	}
	for i := range c.rows {
		if -total[i] > drawnAway*most {
			c.full[i] = false
		}
	}
	return true
}

// move takes one step from x, in place, as far as the first bound, and holds the variable or
// total that came to it there. It reports whether the bounds have changed, so another step may
// follow.
func (c *activeSet) move() bool {
	x, size, k := c.x, len(c.x), c.components()
	var of, full []int // variables that move, and rows whose totals stay
	for i := range c.rows {
		before := len(of)
		for v := c.start[i]; v < c.start[i+1]; v++ {
			if !c.zero[v] {
				of = append(of, v)
			}
		}
		// A full row without a free variable has nothing to keep.
		if c.full[i] && len(of) > before {
			full = append(full, i)
		}
	}
	if len(of) == 0 {
		return c.release(make([]float64, k), nil)
	}
	// The sums of w_c and the totals that are at their bounds stay.
	kept := k + len(full)
	a := make([]float64, kept*len(of))
	for m := range k {
		for j, v := range of {
			a[m*len(of)+j] = c.a[m*size+v]
		}
	}
	for place, i := range full {
		for j, v := range of {
			if v >= c.start[i] && v < c.start[i+1] {
				a[(k+place)*len(of)+j] = 1
			}
		}
	}
	d, y := c.direction(of, a, kept)
	if d == nil {
		return false
	}
	far, zero, over, held := 1.0, -1, -1, false
	// up is how fast each total grows along d. A step ends at the first variable that reaches 0 or
	// total that reaches its cost.
	up := make([]float64, len(c.rows))
	for j, v := range of {
		up[c.rowOf(v)] += d[j]
		switch {
		case !(d[j] < 0):
		// It is at 0 and the step would take it below, so it is held, and the step is computed again
		// without it.
		case x[v] == 0:
			c.zero[v], held = true, true
		case -x[v]/d[j] < far:
			far, zero = -x[v]/d[j], v
		}
	}
	for i, cost := range c.cost {
		if c.full[i] || !(up[i] > 0) {
			continue
		}
		room := cost - sum(x[c.start[i]:c.start[i+1]])
		switch {
		case room <= 1e-13*cost:
			c.full[i], held = true, true
		case room/up[i] < far:
			far, zero, over = room/up[i], -1, i
		}
	}
	if held {
		return true // Those that are at a bound already stay there, all at once.
	}
	for j, v := range of {
		x[v] = max(0, x[v]+far*d[j])
	}
	switch {
	case zero >= 0:
		x[zero], c.zero[zero] = 0, true
	case over >= 0:
		c.full[over] = true
	}
	return zero >= 0 || over >= 0 || c.release(y, full)
}

// nearBy is the weight of the squared length of a step, relative to the largest element of H.
const nearBy = 1e-8

// direction returns the step of the variables listed in of that leads to the largest D with
// unchanged sums A x, and the multipliers of the sums. a has the rows of A one after the other,
// kept x len(of). It returns nil if the system has no finite solution.
func (c *activeSet) direction(of []int, a []float64, kept int) (d, multipliers []float64) {
	x, size, n := c.x, len(c.x), len(of)
	h := mat.NewSymDense(n, nil)
	right := mat.NewDense(n, 1+kept, nil)
	for i, v := range of {
		row := c.h[v*size : (v+1)*size]
		slope := c.slope[v]
		for u := range x {
			slope -= row[u] * (x[u] - c.l[u])
		}
		right.Set(i, 0, slope)
		for m := range kept {
			right.Set(i, 1+m, a[m*n+i])
		}
		for j := i; j < n; j++ {
			h.SetSym(i, j, row[of[j]])
		}
	}
	// Matrices of few dimensions have no inverse. A step that stays near by a little has one, and the steps
	// that follow make up for it.
	largest := 0.0
	for i := range n {
		largest = max(largest, h.At(i, i))
	}
	for i := range n {
		// The term is a penalty on the length of the step, relative to H, so scaling of the kernels
		// does not matter.
		h.SetSym(i, i, h.At(i, i)+nearBy*largest)
	}
	f, ok := factorize(h)
	if !ok || !f.solve(right) {
		return nil, nil
	}
	// A H^-1 A' y = A H^-1 slope gives the multipliers of the sums, one of which follows from the others.
	inner, sums := mat.NewSymDense(kept, nil), make([]float64, kept)
	for m := range kept {
		for i := range n {
			sums[m] += a[m*n+i] * right.At(i, 0)
		}
		for l := m; l < kept; l++ {
			dot := 0.0
			for i := range n {
				dot += a[m*n+i] * right.At(i, 1+l)
			}
			inner.SetSym(m, l, dot)
		}
	}
	// The kept sums depend on each other: both classes have the same total. A pseudo-inverse takes any
	// of the equal answers.
	y := pseudoSolve(inner, sums)
	d = make([]float64, n)
	for i := range d {
		d[i] = right.At(i, 0)
		for m := range kept {
			d[i] -= right.At(i, 1+m) * y[m]
		}
	}
	// The ridge and rounding leave A d a little off 0, and w_c of a model must sum to 0. Two
	// rounds of correction bring these sums from the accuracy of the regularised system to the
	// accuracy of the arithmetic.
	weight := make([]float64, n)
	for i := range weight {
		weight[i] = 1
	}
	for range 2 {
		off := make([]float64, kept)
		for m := range kept {
			for i := range n {
				off[m] += a[m*n+i] * d[i]
			}
		}
		back := leastSquares(a, weight, off, kept)
		for m, z := range back {
			for i := range n {
				d[i] -= a[m*n+i] * z
			}
		}
	}
	if !finite(d) {
		return nil, nil
	}
	return d, y
}
