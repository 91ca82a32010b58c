package chunking

import (
	"context"
	"math"
	"slices"
)

// One classifier for all classes compares, at each point i, the column of its own class y with that
// of every other class l. Its dual variables are A_il in [0, C_i], and
//
//	alpha_il = -A_il for l != y,   alpha_iy = sum_l A_il,   sum_i alpha_ic = 0 for every column c.
//
// Norms, search and weights see columns (columns.go). Working set and model consist of contrasts
// (i,l): the derivative of the dual by A_il is the derivative by alpha_iy less the derivative by
// alpha_il. At the optimum it is b_y - b_l inside the box, where the biases b are the multipliers of
// the K sums, of which K - 1 are independent. A pair of contrasts keeps no sums unless both are of
// the same two classes, and sets of three classes may take a cycle of three contrasts: so the model
// is solved with the biases as multipliers (contrastmodel.go), and points are chosen by how far they
// are from what the biases ask for.

// Contrasts is a loss of several columns of dual variables, one for each class, which a point
// compares with each other. Variable c n + i belongs to point i of n in column c. Primal gives 0 for
// the bias that it is asked for.
type Contrasts interface {
	Separable
	// Columns is the number of classes, at least 2.
	Columns() int
	// Own is the class of point i.
	Own(i int) int
	// Cost is C_i, the bound of every contrast of point i.
	Cost(i int) float64
	// Biases gives the best bias of each class at f, and the loss with them.
	Biases(f []float64) (bias []float64, loss float64)
}

// NewContrasts returns a solver at alpha = 0 for n points. The gradient is one of all variables, and
// a Mixer.
func NewContrasts(n, kernels int, loss Contrasts, norm Norm, grad Gradient, gap float64,
	tuning Tuning) *Solver {
	s := New(n*loss.Columns(), kernels, loss, norm, grad, gap, tuning)
	s.columns = loss.Columns()
	return s
}

// A working set has about so many contrasts, of at least so many points if there are as many: a
// Newton step takes the third power of what is inside its bounds.
const setContrasts, leastPoints = 1152, 64

// ContrastBytes bounds what the model of q of n points in so many columns takes beside that of
// columns, and what the search for their best biases takes: the matrices of a face and vectors, and
// terms with what they grow by.
func ContrastBytes(n, columns, q int64) int64 {
	const vectors, term = 16, 3 * 24
	face := min(faceContrasts, q*(columns-1))
	return 2*8*face*face + vectors*8*q*columns + term*n*(columns-1) + 6*8*columns*columns
}

// contrastStep is setStep for a loss of Contrasts.
type contrastStep struct {
	columnStep
	contrasts Contrasts
}

// take moves the variables of a working set of points, and returns their change.
func (s contrastStep) take(ctx context.Context) ([]float64, error) {
	n := len(s.alpha) / s.columns
	points, violation := s.choose(s.levels)
	set := make([]int, 0, s.columns*len(points))
	for c := range s.columns {
		for _, i := range points {
			set = append(set, c*n+i)
		}
	}
	s.set = set
	m, err := s.model(ctx, points, s.levels)
	if err != nil {
		return nil, err
	}
	m.solve(max(innerFloor, s.tuning.Inner*violation))
	d := m.step()
	if err := s.grad.Directions(ctx, set, d, s.b, s.c); err != nil {
		return nil, err
	}
	s.iterations++
	s.shift, s.doubt = 0, 0
	t := s.search(&s.iterate, d, m.room())
	delta := m.move(s.alpha, t)
	s.stuck++
	if slices.ContainsFunc(delta, func(x float64) bool { return x != 0 }) {
		s.stuck = 0
	}
	s.predict(s.V, t)
	return delta, nil
}

// choose picks the points of the working set, and returns the largest violation of all: of
// contrasts that could rise and gain by more than the biases take, or could fall and gain by less.
//
// Half of the new points violate most. As the sums of the columns stay, what one contrast moves
// others have to take back, and all that violate most may be on one side: the other half goes in
// turn to the points that raise the sum of a class, or lower it, at the largest gain or the least
// loss. The rest of the set is kept from the last one, and then come more violators.
func (s contrastStep) choose(bias []float64) (points []int, most float64) {
	n := len(s.alpha) / s.columns
	size := s.tuning.Size(n)
	if s.tuning.WorkingSet == 0 {
		size = min(size, max(leastPoints, setContrasts/(s.columns-1)))
	}
	fresh := size
	if len(s.set) > 0 {
		fresh = max(2, int(s.tuning.Fresh*float64(size)))
	}
	worst, sides := s.rankPoints(bias, size, fresh/(2*s.columns)+2)
	order := steepestFirst(worst) // which sorts them
	most = worst[0].value
	if size == n {
		slices.Sort(order)
		return order, most
	}
	if s.iterations == 0 && s.atStart() {
		for i := range n {
			points = append(points, i)
		}
		return every(points, size), most
	}
	taken := make([]bool, n)
	take := func(i, until int) {
		if !taken[i] && len(points) < until {
			taken[i] = true
			points = append(points, i)
		}
	}
	for _, i := range order[:fresh/2] {
		take(i, fresh)
	}
	lists, longest := make([][]int, len(sides)), 0
	for side, h := range sides {
		lists[side] = steepestFirst(h)
		longest = max(longest, len(h))
	}
	for turn := range longest {
		for _, list := range lists {
			if turn < len(list) {
				take(list[turn], fresh)
			}
		}
	}
	for _, i := range s.set[:len(s.set)/s.columns] {
		take(i%n, size)
	}
	for _, i := range order {
		take(i, size)
	}
	return points, most
}

// rankPoints gives heaps of points: those that violate most, so many, and for each class c those
// that raise the sum of its column at the largest gain, at 2c, and that lower it, at 2c + 1.
func (s contrastStep) rankPoints(bias []float64, most, each int) (worst []entry,
	sides [][]entry) {
	n := len(s.alpha) / s.columns
	sides = make([][]entry, 2*s.columns)
	best := make([]float64, len(sides))
	for i := range n {
		y, cost, violation := s.contrasts.Own(i), s.contrasts.Cost(i), 0.0
		for side := range best {
			best[side] = math.Inf(-1)
		}
		own := s.ascent[y*n+i] - bias[y]
		for c, b := range bias {
			if c == y {
				continue
			}
			gain, a := own-s.ascent[c*n+i]+b, -s.alpha[c*n+i]
			if a < cost {
				violation = max(violation, gain)
				best[2*y], best[2*c+1] = max(best[2*y], gain), gain
			}
			if a > 0 {
				violation = max(violation, -gain)
				best[2*y+1], best[2*c] = max(best[2*y+1], -gain), -gain
			}
		}
		worst = keepSteepest(worst, entry{violation, i}, most)
		for side, x := range best {
			if !math.IsInf(x, -1) {
				sides[side] = keepSteepest(sides[side], entry{x, i}, each)
			}
		}
	}
	return worst, sides
}

// move changes alpha by a part t of the step that was found, and returns the change on the set. What
// is at a bound then is exactly there, and the variables of a point sum to 0 as they are added.
func (m *contrastModel) move(alpha []float64, t float64) []float64 {
	n, delta := len(alpha)/m.columns, make([]float64, m.columns*m.q)
	for k, i := range m.points {
		sum := 0.0
		for c := range m.columns {
			u := k*m.columns + c
			if c == m.own[k] {
				continue
			}
			v := c*n + i
			was, step := -alpha[v], t*m.x[u]
			a, near := was+step, snap*math.Abs(step)
			if a <= near {
				a = 0
			}
			if m.cost[k]-a <= near {
				a = m.cost[k]
			}
			alpha[v], delta[c*m.q+k] = 0-a, was-a
			sum += a
		}
		v := m.own[k]*n + i
		delta[m.own[k]*m.q+k] = sum - alpha[v]
		alpha[v] = sum
	}
	return delta
}
