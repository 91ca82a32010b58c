package mixture

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Sequential minimal optimisation of a projection without H(Q) (Lewis 2006, section 3.5). All matrices
// lie in memory. Three closed steps change l of two rows by s and keep the sums of w_c:
//
//	of two classes         l_u += s q_v,  l_v += s q_u
//	of one class, equal q  l_uk += s,     l_vk -= s
//	of one class           l_uk += s,     l_ul -= s,     l_vk -= s,     l_vl += s
//
// Each is the best within its bounds, for which only two rows of each matrix are read. A random list of
// all pairs is swept again and again, without those that gained little, until it is empty. The steps
// alone end short of the optimum, as a pair is blocked by the first variable at 0: Newton steps of all
// free variables follow each list (newton.go).

const (
	littleGain = 1e-2 // share of what the gap allows each row, below which a pair leaves the list
	sweeps     = 30   // of a list, at most
)

// pairs is a state whose kernel matrices lie in memory, n x n each. Every step keeps w and f
// exact, so the slope of the next pair costs no product with a matrix.
type pairs struct {
	*state
	matrices [][]float64 // by kernel; nil of those that no component has
}

// sweep takes the steps of one list of pairs.
func (s *pairs) sweep(ctx context.Context, random *rand.Rand, little float64) error {
	// A list has all n (n-1) / 2 pairs, 8 bytes each, which SequentialBytes counts.
	n := s.rows()
	list := make([][2]int32, 0, n*(n-1)/2)
	for u := range n {
		for v := range u {
			list = append(list, [2]int32{int32(u), int32(v)})
		}
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for range sweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		// The list is filtered in place. A pair that gains little now may gain again later, for which
		// the next list has it.
		kept := list[:0]
		for _, pair := range list {
			if s.stepPair(int(pair[0]), int(pair[1])) > little {
				kept = append(kept, pair)
			}
		}
		if list = kept; len(list) == 0 {
			break
		}
	}
	s.l.trim()
	return nil
}

// newPairs returns the rows of a chunk as a problem of their own, while all other rows stay as they are.
func newPairs(c *chunk, blocks [][]float64) *pairs {
	// The copy has the scores of all other rows in its f, so its steps see the whole problem and
	// change a part.
	p := &Problem{Kernels: c.Kernels, First: c.First, Cost: c.cost, Drop: true}
	n, k := len(c.rows), c.components()
	for _, t := range c.rows {
		p.Positive = append(p.Positive, c.Positive[t])
	}
	s := newState(p)
	p.Diagonal = make([]float64, n*k)
	for i, t := range c.rows {
		for m := range k {
			p.Diagonal[m*n+i], s.f[m*n+i] = c.Diagonal[m*c.state.rows()+t], c.f[m*c.state.rows()+t]
		}
		copy(s.q.of(i), c.q.of(t))
		copy(s.l.of(i), c.state.l.of(t))
	}
	s.q.settle()
	return &pairs{s, blocks}
}

// variables returns l of all rows, as the variables of a chunk are laid out.
func (s *pairs) variables() (x []float64) {
	for t := range s.rows() {
		x = append(x, s.l.of(t)...)
	}
	return x
}

// stepPair takes the steps of two rows, and returns by how much D has grown.
func (s *pairs) stepPair(u, v int) (gain float64) {
	if s.Positive[u] != s.Positive[v] {
		return s.stepClasses(u, v)
	}
	// Equal q of two rows make the terms of their own components cancel, so one component of the other
	// class may move by itself. Otherwise two have to move against each other.
	from, to := s.other(u)
	if slices.Equal(s.q.of(u), s.q.of(v)) {
		for k := range to - from {
			gain += s.stepEqual(u, v, k)
		}
		return gain
	}
	for k := range to - from {
		for l := range k {
			gain += s.stepUnequal(u, v, k, l)
		}
	}
	return gain
}

// distance is k(u,u) + k(v,v) - 2 k(u,v) of the kernel of component c, the squared distance of
// two rows in its space. It is the curvature of -D along a step that moves 1 from w_cv to w_cu.
func (s *pairs) distance(c, u, v int) float64 {
	n, k := s.rows(), s.matrices[s.Kernels[c]]
	return k[u*n+u] + k[v*n+v] - 2*k[u*n+v]
}

// shift moves by from w_cv to w_cu.
func (s *pairs) shift(c, u, v int, by float64) {
	n, k := s.rows(), s.matrices[s.Kernels[c]]
	s.w[c*n+u] += by
	s.w[c*n+v] -= by
	// f stays exact after every step, which costs two rows of the matrix and no pass.
	f, from, to := s.f[c*n:(c+1)*n], k[v*n:(v+1)*n], k[u*n:(u+1)*n]
	for t := range f {
		f[t] += by * (to[t] - from[t])
	}
}

// best maximises slope s - curvature s^2 / 2 over low <= s <= high, and returns s and the
// maximum. It returns 0 for a step that gains nothing, such as one of rounding.
func best(slope, curvature, low, high float64) (step, gain float64) {
	step = min(max(slope/max(curvature, leastCurvature), low), high)
	gain = slope*step - curvature*step*step/2
	if !(gain > 0) {
		return 0, 0
	}
	return step, gain
}

// leastCurvature keeps the quotient finite for two equal rows, whose distance is 0. The bounds
// then limit the step.
const leastCurvature = 1e-12

// add adds to a variable, which stays at 0 or above.
func add(l []float64, k int, by float64) {
	if l[k] += by; l[k] < 0 {
		l[k] = 0
	}
}

// stepClasses is the step of two rows of two classes. l of u changes by s q_v, and l of v by s
// q_u, so in every space w_u and w_v change by opposite amounts and the sums stay.
func (s *pairs) stepClasses(u, v int) float64 {
	ofU, endU := s.own(u)
	ofV, endV := s.own(v)
	qu, qv, lu, lv := s.q.of(u), s.q.of(v), s.l.of(u), s.l.of(v)
	slope, curvature, low := s.hinges.rise(u)+s.hinges.rise(v), 0.0, math.Inf(-1)
	for j, q := range qv {
		if q > 0 {
			slope += q * s.level(ofV+j, u)
			low = max(low, -lu[j]/q)
		}
	}
	for j, q := range qu {
		if q > 0 {
			slope += q * s.level(ofU+j, v)
			low = max(low, -lv[j]/q)
		}
	}
	// Both totals grow by the same step, as q sums to 1, so the smaller room limits it.
	room := min(s.Cost[u]-s.l.total(u), s.Cost[v]-s.l.total(v))
	if slope > 0 && room <= 0 || slope < 0 && low >= 0 {
		return 0
	}
	for c := ofU; c < endU; c++ {
		curvature += qu[c-ofU] * qu[c-ofU] * s.distance(c, u, v)
	}
	for c := ofV; c < endV; c++ {
		curvature += qv[c-ofV] * qv[c-ofV] * s.distance(c, u, v)
	}
	step, gain := best(slope, curvature, low, room)
	if step == 0 {
		return 0
	}
	for j, q := range qv {
		add(lu, j, step*q)
		s.shift(ofV+j, v, u, step*q)
	}
	for j, q := range qu {
		add(lv, j, step*q)
		s.shift(ofU+j, u, v, step*q)
	}
	return gain
}

// stepEqual is the step of two rows of one class with the same q, in component k of the other
// class: l_uk grows by s, and l_vk falls by it.
func (s *pairs) stepEqual(u, v, k int) float64 {
	from, _ := s.other(u)
	own, _ := s.own(u)
	lu, lv, q := s.l.of(u), s.l.of(v), s.q.of(u)
	slope := s.hinges.rise(u) + s.level(from+k, u) - s.hinges.rise(v) - s.level(from+k, v)
	low, high := max(-lu[k], s.l.total(v)-s.Cost[v]), min(lv[k], s.Cost[u]-s.l.total(u))
	if slope > 0 && high <= 0 || slope < 0 && low >= 0 {
		return 0
	}
	curvature := s.distance(from+k, u, v)
	for j, x := range q {
		curvature += x * x * s.distance(own+j, u, v)
	}
	step, gain := best(slope, curvature, low, high)
	if step == 0 {
		return 0
	}
	add(lu, k, step)
	add(lv, k, -step)
	s.shift(from+k, v, u, step)
	for j, x := range q {
		s.shift(own+j, u, v, step*x)
	}
	return gain
}

// stepUnequal is the step of two rows of one class in components k and l of the other class. The
// totals of both rows stay, so neither the margin terms nor the own components enter the slope.
func (s *pairs) stepUnequal(u, v, k, l int) float64 {
	from, _ := s.other(u)
	lu, lv := s.l.of(u), s.l.of(v)
	slope := s.level(from+k, u) - s.level(from+l, u) - s.level(from+k, v) + s.level(from+l, v)
	low, high := max(-lu[k], -lv[l]), min(lu[l], lv[k])
	if slope > 0 && high <= 0 || slope < 0 && low >= 0 {
		return 0
	}
	curvature := s.distance(from+k, u, v) + s.distance(from+l, u, v)
	step, gain := best(slope, curvature, low, high)
	if step == 0 {
		return 0
	}
	add(lu, k, step)
	add(lu, l, -step)
	add(lv, k, -step)
	add(lv, l, step)
	s.shift(from+k, v, u, step)
	s.shift(from+l, u, v, step)
	return gain
}
