package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// interior solves a chunk by a primal-dual interior-point method (Mehrotra's rule for the centre),
// from any start:
//
//	-slope + H(x - l) - E'(x) + A'y - z + v_t = 0,   A x = A l,   x z = mu,  (C_t - sum x_t) v_t = mu.
//
// Some chunks have no inner point, such as rows of one class whose l are all 0. The sums are therefore
// kept up to a small multiple of the change of y, which vanishes as y settles.

type interior struct {
	*chunk
	primalDual
}

const (
	interiorSteps = 80
	boundary      = 0.99 // share of the way to the nearest bound
)

// newInterior returns the start of the method: x from l, y from e, and 1 for the multipliers of bounds.
func newInterior(c *chunk) *interior {
	size := len(c.l)
	p := &interior{c, newPrimalDual(size, len(c.rows), c.components())}
	copy(p.y, c.e)
	for i, cost := range c.cost {
		from, to := c.start[i], c.start[i+1]
		// The start is the present l, moved off its bounds: a method of interior points makes no
		// progress from a bound. A row at 0 begins at 1 % of its cost, or at 0.01 if that is less, and
		// a row at its cost begins 1 % below.
		old := sum(c.l[from:to])
		total := min(max(old, 0.01*min(cost, 1)), 0.99*cost)
		for v := from; v < to; v++ {
			share := 1 / float64(to-from)
			if old > 0 {
				share = 0.9*c.l[v]/old + 0.1*share
			}
			p.x[v], p.z[v] = total*share, 1
		}
		p.room[i], p.v[i] = cost-total, 1
	}
	return p
}

// residuals returns what is left of the equations for the gradient and of the sums, with the sizes of the
// latter.
func (p *interior) residuals() (dual, sums, scales []float64) {
	size := len(p.x)
	dual = make([]float64, size)
	d := make([]float64, size)
	for v := range d {
		d[v] = p.x[v] - p.l[v]
	}
	for v := range dual {
		row, dot := p.h[v*size:(v+1)*size], 0.0
		for u, x := range d {
			dot += row[u] * x
		}
		// The gradient of the Lagrangian by x, of which all terms but the entropy and the bound of the
		// total are added here.
		dual[v] = -p.slope[v] + dot - p.z[v]
		for m, y := range p.y {
			dual[v] += p.a[m*size+v] * y
		}
	}
	for i := range p.rows {
		from, to := p.start[i], p.start[i+1]
		total := sum(p.x[from:to])
		for v := from; v < to; v++ {
			dual[v] += p.v[i]
			if !p.Drop {
				// -E'(x) is log Q_tc: the derivative of l_t H(Q_t) by l_tc has no constant, because H
				// does not depend on the scale.
				dual[v] += math.Log(p.x[v] / total)
			}
		}
	}
	sums, scales = p.sumsOff(p.x)
	return dual, sums, scales
}

// distance is P - D of the chunk at x and y: what each row adds to it is at least 0. It is 0 at the
// solution alone, which products x z do not show of rows whose l_t is nearly 0 and ought not to be.
func (p *interior) distance(dual []float64) float64 {
	sum, score := 0.0, make([]float64, p.width())
	for i, cost := range p.cost {
		from, to := p.start[i], p.start[i+1]
		total := 0.0
		for v := from; v < to; v++ {
			total += p.x[v]
		}
		gain := 0.0
		for v := from; v < to; v++ {
			// The slope of D at the multipliers, with and without the entropy.
			//
			// By the equation of the gradient, v - z - dual is slope - H d - A'y less log Q_tc. That
			// saves a second product with H.
			slope := p.v[i] - p.z[v] - dual[v]
			gain += p.x[v] * slope
			if score[v-from] = slope; !p.Drop {
				score[v-from] += math.Log(p.x[v] / total)
			}
		}
		h := slices.Max(score[:to-from])
		if !p.Drop {
			h = logSum(score[:to-from])
		}
		// The part of the row is C max(0, h) less the gain, also if the gain is negative.
		sum += max(0, cost*max(0, h)-gain)
	}
	return sum
}

// near reports whether sums are as near to what they have to be as a repair takes them from.
func near(sums, scales []float64) bool {
	for m, x := range sums {
		if math.Abs(x) > 1e-6*scales[m] {
			return false
		}
	}
	return true
}

// solve returns l of the chunk at a larger D, and the multipliers of the sums. It returns nil if
// there is none within what rounding shows. accuracy is what D may miss of the best.
func (p *interior) solve(accuracy float64) (l, e []float64) {
	p.run(accuracy)
	c := p.chunk
	e = p.y
	// Variables at their bounds are put there if that costs nothing that counts.
	//
	// Snapped variables are preferred because an exact 0 makes a row no support vector, and the model
	// smaller.
	x, free := p.settle(true), p.settle(false)
	if x == nil || free != nil && c.gain(x) < snapped*c.gain(free) {
		x = free
	}
	if x == nil {
		return nil, e
	}
	// The direction is one of ascent unless the solution is worse than the start by rounding.
	//
	// D is concave, so a point halfway back to the start gains where the far end loses to rounding.
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

// snapped is the share of the gain that variables at their bounds have to leave.
const snapped = 0.9

// settle returns the solution with the sums exactly kept, and with variables at their bounds that are
// meant to be there if snap is set. It returns nil if the sums cannot be kept so.
func (p *interior) settle(snap bool) []float64 {
	c := newCrossover(p.chunk, p.x)
	if snap {
		c.snap(&p.primalDual)
	}
	if !c.repair() {
		return nil
	}
	return c.x
}

// run iterates until the gap of the chunk is at most accuracy, or no step is left.
func (p *interior) run(accuracy float64) {
	size, k := len(p.x), p.components()
	// There are size lower bounds and one upper bound for each row, and each has a product whose
	// target is mu.
	count := float64(size + len(p.rows))
	m := mat.NewSymDense(size, nil)
	t := mat.NewDense(size, k, nil)
	for v := range size {
		for c := range k {
			t.Set(v, c, p.a[c*size+v])
		}
	}
	for range interiorSteps {
		dual, sums, scales := p.residuals()
		gap, far := p.complementarity(), p.distance(dual)
		if far <= accuracy && near(sums, scales) {
			return
		}
		p.matrix(m)
		large, ok := factorize(m)
		if !ok {
			return
		}
		solved := mat.DenseCopyOf(t) // M^-1 A'
		if !large.solve(solved) {
			return
		}
		// The multipliers y come from the Schur complement A M^-1 A', of one row and column for each
		// component: k is far smaller than the number of variables.
		schur := mat.NewSymDense(k, nil)
		for a := range k {
			for b := a; b < k; b++ {
				x := 0.0
				for v := range size {
					x += p.a[a*size+v] * solved.At(v, b)
				}
				schur.SetSym(a, b, x)
			}
		}
		// The sums of A are not independent: the sums of both classes add up to the same number.
		small, ok := factorize(schur)
		if !ok {
			return
		}
		// Where l_t is nearly 0 and ought not to be, the products are small and the distance is not.
		// Then mu must not fall with the products, or the row would stay at 0.
		mu := max(gap, far/10) / count
		// The step to the boundary states how much of mu may be left.
		s := p.step(large, small, solved, dual, sums, 0, nil)
		if s == nil {
			return
		}
		length := p.longest(s, 1)
		after := p.after(s, length) / count
		// Mehrotra's rule: the third power of what the predictor would leave of mu. A predictor that
		// goes far means that little centring is needed.
		centre := math.Pow(max(after, 0)/mu, 3)
		s = p.step(large, small, solved, dual, sums, max(centre, 1e-4)*mu, s)
		if s == nil {
			return
		}
		length = min(1, p.longest(s, boundary))
		// A step of no length repeats itself for ever.
		if length < 1e-10 {
			return
		}
		p.take(s, length)
	}
}

// matrix sets m to the Hessian of the chunk with the terms of the bounds.
func (p *interior) matrix(m *mat.SymDense) {
	size := len(p.x)
	raw := m.RawSymmetric().Data
	copy(raw, p.h)
	for i := range p.rows {
		from, to := p.start[i], p.start[i+1]
		// The bound of the total couples all variables of a row, and so does H: their terms fill the
		// block of the row.
		common := p.v[i] / p.room[i]
		if !p.Drop {
			common -= 1 / sum(p.x[from:to])
		}
		for a := from; a < to; a++ {
			for b := a; b < to; b++ {
				raw[a*size+b] += common
			}
			raw[a*size+a] += p.z[a] / p.x[a]
			if !p.Drop {
				raw[a*size+a] += 1 / p.x[a]
			}
		}
	}
}

// step solves the linear equations of Newton's method for the target mu. With a predicted direction
// its second-order terms are taken into account.
func (p *interior) step(large, small *factor, solved *mat.Dense, dual, sums []float64, mu float64,
	predicted *primalDual) *primalDual {
	size, k := len(p.x), len(p.y)
	d := newPrimalDual(size, len(p.room), k)
	// The products of the predicted changes are what a linear step leaves of the complementarity. The
	// corrector takes them off in advance.
	lower, upper := make([]float64, size), make([]float64, len(p.room)) // mu - x z, mu - room v
	for v, x := range p.x {
		lower[v] = mu - x*p.z[v]
		if predicted != nil {
			lower[v] -= predicted.x[v] * predicted.z[v]
		}
	}
	for i, x := range p.room {
		upper[i] = mu - x*p.v[i]
		if predicted != nil {
			upper[i] -= predicted.room[i] * predicted.v[i]
		}
	}
	base := mat.NewDense(size, 1, nil)
	for i := range p.rows {
		for v := p.start[i]; v < p.start[i+1]; v++ {
			base.Set(v, 0, -dual[v]+lower[v]/p.x[v]-upper[i]/p.room[i])
		}
	}
	if !large.solve(base) {
		return nil
	}
	// A dx = -sums with dx = base - M^-1 A' dy.
	dy := mat.NewDense(k, 1, d.y)
	for c := range k {
		x := sums[c]
		for v := range size {
			x += p.a[c*size+v] * base.At(v, 0)
		}
		dy.Set(c, 0, x)
	}
	if !small.solve(dy) {
		return nil
	}
	for v := range d.x {
		d.x[v] = base.At(v, 0)
		for c, y := range d.y {
			d.x[v] -= solved.At(v, c) * y
		}
		// dz and dv were eliminated from the system and follow from dx.
		d.z[v] = (lower[v] - p.z[v]*d.x[v]) / p.x[v]
	}
	for i := range p.rows {
		d.room[i] = -sum(d.x[p.start[i]:p.start[i+1]])
		d.v[i] = (upper[i] - p.v[i]*d.room[i]) / p.room[i]
	}
	if !finite(d.x) || !finite(d.z) || !finite(d.v) {
		return nil
	}
	return &d
}
