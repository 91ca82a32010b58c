package chunking

import (
	"context"
	"math"
	"slices"
)

// quasiNewton is the limited-memory quasi-Newton method (Liu and Nocedal 1989) for a dual that has
// no bounds, the dual of the squared loss (Kloft 2011, 2.3.3). It takes the place of working set,
// quadratic model and its solution; norm, line search, ladder and certificate are the same as in
// chunking. With r the ascent, the direction is
//
//	d = H r,  H from the pairs  s = alpha' - alpha, y = r - r'  of the last steps and, before them,
//	gamma (diag(C) - C C' / sum C),  gamma = s'diag(C)^-1 s / s'y,
//
// which keeps sum alpha and is the inverse, up to gamma, where all kernels vanish. Most directions
// are such multiples, and for them gamma is the longer of the two usual choices; the pairs hold
// the others. D is concave and its curvature is at least min 1/C, so s'y > 0. The search along d
// is exact: with fixed weights the directions equal the directions of conjugate gradients.
//
// An iteration takes as many kernel rows as there are points. Linear kernels form no rows: with
// them an iteration costs no more than an iteration of chunking.
type quasiNewton struct {
	loss  Curved    // C_i is 1/Curvature(i)
	pairs []pair    // the oldest first
	r, a  []float64 // ascent before the step, products of the pairs
}

// pair is a step and what the ascent lost by it.
type pair struct{ s, y []float64 }

// remembered is the number of pairs.
const remembered = 64

// straight is the cosine between s and y up to which a pair is rounding.
const straight = 1e-12

// QuasiNewtonBytes is the memory that each point takes.
const QuasiNewtonBytes = 8 * (2*remembered + 4)

// CurvedLoss is a loss with a curved lin.
type CurvedLoss interface {
	Separable
	Curved
}

// NewQuasiNewton returns a solver at alpha = 0 that takes quasi-Newton steps over all points. The
// loss must have no bounds, as the squared loss.
func NewQuasiNewton(n, kernels int, loss CurvedLoss, norm Norm, grad Far, gap float64) *Solver {
	return newOverall(n, kernels, loss, norm, grad, gap, &quasiNewton{loss: loss, r: make([]float64, n)})
}

// Direction implements stepper: it puts H r in d and takes off what rounding has left of the sum of
// alpha.
func (q *quasiNewton) Direction(_ context.Context, at *whole, d []float64) error {
	copy(q.r, at.Ascent)
	copy(d, q.r)
	q.a = append(q.a[:0], make([]float64, len(q.pairs))...)
	for k := len(q.pairs) - 1; k >= 0; k-- {
		p := q.pairs[k]
		q.a[k] = innerProduct(p.s, d) / innerProduct(p.s, p.y)
		add(d, -q.a[k], p.y)
	}
	// Two-loop recursion: the pairs from the newest to the oldest, the first matrix, and back.
	gamma := 1.0
	if k := len(q.pairs) - 1; k >= 0 {
		p := q.pairs[k]
		size := 0.0
		for i, x := range p.s {
			size += x * x * q.loss.Curvature(i)
		}
		gamma = size / innerProduct(p.s, p.y)
	}
	// The first matrix projects onto the directions that keep sum alpha.
	shift, weight := 0.0, 0.0
	for i, x := range d {
		c := 1 / q.loss.Curvature(i)
		shift += c * x
		weight += c
	}
	for i, x := range d {
		d[i] = gamma * (x - shift/weight) / q.loss.Curvature(i)
	}
	for k, p := range q.pairs {
		add(d, q.a[k]-innerProduct(p.y, d)/innerProduct(p.s, p.y), p.s)
	}
	sum := 0.0
	for i, x := range d {
		sum += x + at.Alpha[i]
	}
	sum /= float64(len(d))
	for i := range d {
		d[i] -= sum
	}
	return nil
}

// Learn implements stepper: it takes the step and the ascent after it into the pairs, in the place
// of the oldest if there are enough. A direction that did not ascend makes it forget all pairs.
func (q *quasiNewton) Learn(d, ascent []float64) {
	if d == nil {
		q.pairs = q.pairs[:0]
		return
	}
	n := len(d)
	p := pair{}
	if len(q.pairs) == remembered {
		p = q.pairs[0]
		q.pairs = append(q.pairs[:0], q.pairs[1:]...)
	} else {
		p.s, p.y = make([]float64, n), make([]float64, n)
	}
	copy(p.s, d)
	for i, r := range q.r {
		p.y[i] = r - ascent[i]
	}
	// A pair that is rounding would make H indefinite.
	if innerProduct(p.s, p.y) > straight*math.Sqrt(innerProduct(p.s, p.s)*innerProduct(p.y, p.y)) {
		q.pairs = append(q.pairs, p)
	}
}

// Snapshot implements stepper: it gives s and y of each pair, the oldest first.
func (q *quasiNewton) Snapshot() [][]float64 {
	var list [][]float64
	for _, p := range q.pairs {
		list = append(list, p.s, p.y)
	}
	return list
}

// Resume implements stepper.
func (q *quasiNewton) Resume(list [][]float64) bool {
	if len(list)%2 != 0 || len(list) > 2*remembered {
		return false
	}
	for k := 0; k < len(list); k += 2 {
		s, y := list[k], list[k+1]
		if len(s) != len(q.r) || len(y) != len(q.r) || !(innerProduct(s, y) > 0) {
			return false
		}
		q.pairs = append(q.pairs, pair{slices.Clone(s), slices.Clone(y)})
	}
	return true
}

// innerProduct is a'b.
func innerProduct(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += x * b[i]
	}
	return sum
}

// add adds t b to a.
func add(a []float64, t float64, b []float64) {
	for i, x := range b {
		a[i] += t * x
	}
}
