package mixture

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Newton steps of a projection without H(Q): all variables that are at no bound move at once to the best that
// keeps the sums of w_c, as far as the first bound. A variable that comes to a bound stays there for the steps
// that follow, and the totals of rows likewise. Where no bound is in the way, the multipliers of the best show
// which of those at bounds are drawn away from them.

// newtonMoves is the largest number of steps that follow each other.
const newtonMoves = 300

// stepFree takes Newton steps from l in hand. Its callers recompute w and f.
func (r *Solver) stepFree(ctx context.Context) {
	s := r.state
	r.recompute()
	var rows []int
	for t := range r.rows() {
		if s.l.total(t) > 0 || s.hinges.violation(t, s.e) > 0 {
			rows = append(rows, t)
		}
	}
	if len(rows) == 0 {
		return
	}
	n, blocks := r.rows(), make([][]float64, len(r.matrices))
	for k, whole := range r.matrices {
		if whole == nil {
			continue
		}
		blocks[k] = make([]float64, 0, len(rows)*len(rows))
		for _, t := range rows {
			for _, u := range rows {
				blocks[k] = append(blocks[k], whole[t*n+u])
			}
		}
	}
	c := newChunk(s, rows, blocks)
	if x := c.solveFree(ctx, c.l); x != nil {
		for i, t := range rows {
			copy(s.l.of(t), x[c.start[i]:c.start[i+1]])
		}
	}
}

// leastPart is the share of its bound below which rounding makes a variable differ from 0.
const leastPart = 1e-14

// solveFree returns l of the chunk where Newton steps from x end, or nil if that is not above where l is. Where
// ctx ends, so do the steps.
func (c *chunk) solveFree(ctx context.Context, x []float64) []float64 {
	x, a := slices.Clone(x), c.activeAt(x)
	for range newtonMoves {
		if ctx.Err() != nil || !c.moveFree(x, a) {
			break
		}
	}
	for v := range x {
		if x[v] < leastPart*c.cost[c.rowOf(v)] {
			x[v] = 0
		}
	}
	if !(c.gain(x) > 0) || !c.within(x) {
		return nil
	}
	return x
}

// active is the bounds at which a Newton step leaves variables and totals of rows.
type active struct{ zero, full []bool }

// activeAt returns the bounds at which variables and totals of x are.
func (c *chunk) activeAt(x []float64) *active {
	a := &active{make([]bool, len(x)), make([]bool, len(c.rows))}
	for v, l := range x {
		a.zero[v] = l == 0
	}
	for i := range c.rows {
		a.full[i] = sum(x[c.start[i]:c.start[i+1]]) >= c.cost[i]*(1-1e-12)
	}
	return a
}

// drawnAway is the share of the steepest slope that a variable is drawn by from its bound at least.
const drawnAway = 0.1

// release frees variables and totals that multipliers draw away from their bounds: y of the sums of w_c, and
// y of the totals of full rows. It reports whether there are any.
func (c *chunk) release(x []float64, at *active, y []float64, full []int) bool {
	size, k := len(x), c.components()
	pull, most := make([]float64, size), 0.0
	total := make([]float64, len(c.rows))
	for place, i := range full {
		total[i] = y[k+place]
	}
	for v := range pull {
		row := c.h[v*size : (v+1)*size]
		pull[v] = c.slope[v]
		for u, h := range row {
			pull[v] -= h * (x[u] - c.l[u])
		}
		for m := range k {
			pull[v] -= y[m] * c.a[m*size+v]
		}
		i := c.rowOf(v)
		switch {
		case !at.zero[v]:
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
	if !(most > 1e-10*scale) {
		return false
	}
	for v, p := range pull {
		if p > drawnAway*most {
			at.zero[v] = false
		}
	}
	for i := range c.rows {
		if -total[i] > drawnAway*most {
			at.full[i] = false
		}
	}
	return true
}

// moveFree takes one step from x, in place, as far as the first bound, at which it then holds what came to it.
// It reports whether there was one, so another step may follow.
func (c *chunk) moveFree(x []float64, at *active) bool {
	size, k := len(x), c.components()
	var of, full []int // variables that move, and rows whose totals stay
	for i := range c.rows {
		before := len(of)
		for v := c.start[i]; v < c.start[i+1]; v++ {
			if !at.zero[v] {
				of = append(of, v)
			}
		}
		if at.full[i] && len(of) > before {
			full = append(full, i)
		}
	}
	if len(of) == 0 {
		return c.release(x, at, make([]float64, k), nil)
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
	d, y := c.newtonDirection(x, of, a, kept)
	if d == nil {
		return false
	}
	far, zero, over, held := 1.0, -1, -1, false
	up := make([]float64, len(c.rows))
	for j, v := range of {
		up[c.rowOf(v)] += d[j]
		switch {
		case !(d[j] < 0):
		case x[v] == 0:
			at.zero[v], held = true, true
		case -x[v]/d[j] < far:
			far, zero = -x[v]/d[j], v
		}
	}
	for i, cost := range c.cost {
		if at.full[i] || !(up[i] > 0) {
			continue
		}
		room := cost - sum(x[c.start[i]:c.start[i+1]])
		switch {
		case room <= 1e-13*cost:
			at.full[i], held = true, true
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
		x[zero], at.zero[zero] = 0, true
	case over >= 0:
		at.full[over] = true
	}
	return zero >= 0 || over >= 0 || c.release(x, at, y, full)
}

// nearBy is the weight of the squared length of a step, relative to the largest element of H.
const nearBy = 1e-8

// rowOf returns the place among the rows of the chunk of that of variable v.
func (c *chunk) rowOf(v int) int {
	i, found := slices.BinarySearch(c.start, v)
	if found {
		return i
	}
	return i - 1
}

// newtonDirection returns the step of the variables of to the best of D at which each of the kept sums in a,
// row by row, stays; or nil if there is none.
func (c *chunk) newtonDirection(x []float64, of []int, a []float64, kept int) (d, multipliers []float64) {
	size, n := len(x), len(of)
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
	y := pseudoSolve(inner, sums)
	d = make([]float64, n)
	for i := range d {
		d[i] = right.At(i, 0)
		for m := range kept {
			d[i] -= right.At(i, 1+m) * y[m]
		}
	}
	// What rounding has made of the sums is taken back.
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
