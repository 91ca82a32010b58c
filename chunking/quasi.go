package chunking

import (
	"context"
	"math"
	"slices"

	"bigmkl/internal/invariant"
)

// Far is a gradient that can look along a direction over all points before a step is taken.
type Far interface {
	Gradient
	// Along gives b_m = d'g_m and c_m = d'K_m d, and keeps K_m d.
	Along(ctx context.Context, d, b, c []float64) error
	// Advance adds t K_m d of the last direction to all gradients; combined and v as in Pass. alpha is the one after the step.
	Advance(ctx context.Context, t float64, alpha, theta, combined, v []float64) error
}

// quasiNewton is the limited-memory quasi-Newton method (Liu and Nocedal 1989) for a dual that has no bounds, which is that of
// the squared loss (Kloft 2011, 2.3.3). It takes the place of working set, quadratic model and its solution in a step; norm,
// line search, ladder and certificate are those of chunking. With r the ascent, the direction is
//
//	d = H r,  H from the pairs  s = alpha' - alpha, y = r - r'  of the last steps and, before them,
//	gamma (diag(C) - C C' / sum C),  gamma = s'diag(C)^-1 s / s'y,
//
// which keeps sum alpha and is the inverse, up to gamma, where all kernels vanish. Those are most directions, for which gamma is
// the longer of the two usual ones; the pairs hold the others. D is concave and its curvature at least min 1/C, so that s'y > 0.
// The search along d is exact: with fixed weights the directions are those of conjugate gradients.
//
// An iteration takes as many rows as there are points. Linear kernels form none: there it is no dearer than one of chunking.
type quasiNewton struct {
	grad    Far
	loss    *LeastSquares
	all     []int // every point
	pairs   []pair
	d, r, a []float64 // direction and step, ascent before it, products of the pairs
}

// pair is a step and what the ascent lost by it.
type pair struct{ s, y []float64 }

// remembered is the number of pairs.
const remembered = 64

// straight is the cosine between s and y up to which a pair is rounding.
const straight = 1e-12

// QuasiNewtonBytes is the memory that each point takes.
const QuasiNewtonBytes = 8 * (2*remembered + 4)

// NewQuasiNewton returns a solver of the squared loss at alpha = 0 that takes quasi-Newton steps over all points.
func NewQuasiNewton(n, kernels int, loss *LeastSquares, norm Norm, grad Far, gap float64) *Solver {
	s := New(n, kernels, loss, norm, grad, gap, Tuning{})
	s.quasi = &quasiNewton{grad: grad, loss: loss, all: make([]int, n), d: make([]float64, n), r: make([]float64, n)}
	for i := range n {
		s.quasi.all[i] = i
	}
	return s
}

// ascend does one iteration.
func (s *Solver) ascend(ctx context.Context) error {
	q := s.quasi
	s.set = q.all
	defer func() { s.set = nil }()
	copy(q.r, s.ascent)
	q.direct(s.alpha)
	if err := q.grad.Along(ctx, q.d, s.b, s.c); err != nil { // the iteration begins again
		return err
	}
	s.iterations++
	s.shift, s.doubt = 0, 0
	t := s.reach(q.d)
	if t == 0 {
		s.stuck++
		q.pairs = q.pairs[:0]
		return nil
	}
	s.stuck = 0
	before := s.V
	if invariant.Enabled {
		before = slices.Clone(s.V)
	}
	for i := range q.d {
		q.d[i] *= t
		s.alpha[i] += q.d[i]
	}
	for m := range s.V {
		s.V[m] += t * (2*s.b[m] + t*s.c[m])
	}
	if invariant.Enabled {
		s.assertAscent(q.d, before)
	}
	if l, ok := s.norm.(Ladder); ok {
		l.Calibrate(s.V)
	}
	s.norm.Weights(s.theta, s.V)
	predicted := append(s.line[:0], s.V...)
	if err := q.grad.Advance(context.WithoutCancel(ctx), t, s.alpha, s.theta, s.combined, s.V); err != nil {
		return err
	}
	if err := s.settle(ctx, predicted); err != nil {
		return err
	}
	q.learn(s.ascent)
	return nil
}

// reach is the exact search without a longest step.
func (s *Solver) reach(d []float64) float64 {
	const farthest = 1e30
	most := 1.0
	for {
		t := s.search(d, most)
		if t < most || most > farthest {
			return t
		}
		most *= longest
	}
}

// direct leaves H r in d, with what rounding has left of the sum of alpha taken off.
func (q *quasiNewton) direct(alpha []float64) {
	d := q.d
	copy(d, q.r)
	q.a = append(q.a[:0], make([]float64, len(q.pairs))...)
	for k := len(q.pairs) - 1; k >= 0; k-- {
		p := q.pairs[k]
		q.a[k] = product(p.s, d) / product(p.s, p.y)
		add(d, -q.a[k], p.y)
	}
	gamma := 1.0
	if k := len(q.pairs) - 1; k >= 0 {
		p := q.pairs[k]
		size := 0.0
		for i, x := range p.s {
			size += x * x * q.loss.Curvature(i)
		}
		gamma = size / product(p.s, p.y)
	}
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
		add(d, q.a[k]-product(p.y, d)/product(p.s, p.y), p.s)
	}
	sum := 0.0
	for i, x := range d {
		sum += x + alpha[i]
	}
	sum /= float64(len(d))
	for i := range d {
		d[i] -= sum
	}
}

// learn takes the step d and the ascent after it into the pairs, for the oldest if there are enough.
func (q *quasiNewton) learn(ascent []float64) {
	n := len(q.d)
	p := pair{}
	if len(q.pairs) == remembered {
		p = q.pairs[0]
		q.pairs = append(q.pairs[:0], q.pairs[1:]...)
	} else {
		p.s, p.y = make([]float64, n), make([]float64, n)
	}
	copy(p.s, q.d)
	for i, r := range q.r {
		p.y[i] = r - ascent[i]
	}
	if product(p.s, p.y) > straight*math.Sqrt(product(p.s, p.s)*product(p.y, p.y)) {
		q.pairs = append(q.pairs, p)
	}
}

// state gives the pairs.
func (q *quasiNewton) state() [][]float64 {
	var list [][]float64
	for _, p := range q.pairs {
		list = append(list, p.s, p.y)
	}
	return list
}

// resume takes pairs over. It reports false for what cannot be pairs of this problem.
func (q *quasiNewton) resume(list [][]float64) bool {
	if len(list)%2 != 0 || len(list) > 2*remembered {
		return false
	}
	for k := 0; k < len(list); k += 2 {
		s, y := list[k], list[k+1]
		if len(s) != len(q.d) || len(y) != len(q.d) || !(product(s, y) > 0) {
			return false
		}
		q.pairs = append(q.pairs, pair{slices.Clone(s), slices.Clone(y)})
	}
	return true
}

func product(a, b []float64) float64 {
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
