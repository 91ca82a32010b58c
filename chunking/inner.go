package chunking

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// The working-set problem:
//
//	max_d  G'd - 1/2 d'Hd - kink sum |origin + d|   with  low <= d <= high,  sum d = 0.
//
// The kink is that of the epsilon-insensitive loss, 0 for others: a coordinate moves as far as it, and on from there at another slope.
//
// subproblem solves it by pairs of coordinates chosen by second-order information (Fan, Chen and Lin 2005, WSS 2), which
// finds out what stands at its bounds. Near p = 1, for p > 2 and at small gaps H is badly conditioned and pairs creep: then
// Newton steps on the free coordinates take over, in turn with bursts of pairs.
//
// A coordinate that leaves 0 costs a row of the pass, however far it goes: so, once a share of them has, others join in only
// while they violate by more than a coarse tolerance, and those that have are optimised to a fine one among themselves. Where
// pairs outnumber the coordinates that they move H is badly conditioned: to solve the problem exactly saves iterations then.
type subproblem struct {
	low, high []float64 // room of d
	kink      float64
	origin    []float64 // where d = 0 is, for the kink
	d         []float64
	gain      []float64 // gradient of the objective at d without the kink
	diagonal  []float64
	grow      []float64 // what the kink makes of gain where d grows; -inf where it cannot
	shrink    []float64 // the same where it shrinks; +inf where it cannot
	free      []int
	system    []float64   // Newton's, and its factor
	right     []float64   // its two right-hand sides and their solutions
	least     int         // coordinates that have to leave 0 before the coarse tolerance counts
	joined    int         // that have left it
	moved     *subproblem // over the coordinates that have left 0
	at        []int       // which these are
	part      []float64   // their part of H
	start     []float64   // and of the gradient
}

const (
	burst   = 10  // pair steps per coordinate between Newton steps
	rounds  = 30  // bursts at most
	joining = 0.3 // share of the coordinates that may join in at the fine tolerance
	// tiny bounds the curvature of a pair from below, relative to the diagonal: duplicates have none.
	tiny    = 1e-14
	visible = 1e-13 // change of the objective that is more than rounding, relative
	ridge   = 1e-11 // added to the diagonal of the Newton system, relative to its mean: less, and rounding undoes the step
)

// solve starts from d = 0, ascends until no pair violates by more than coarse, and goes on with what has moved until no pair of
// that violates by more than fine. h: q x q, row-major; gradient: G.
func (p *subproblem) solve(gradient, h []float64, coarse, fine float64) {
	p.least = int(joining * float64(len(gradient)))
	p.ascend(gradient, h, coarse, fine)
	if fine < coarse {
		p.refine(h, fine)
	}
}

// refine goes on with the coordinates that have moved. It leaves gain as it is.
func (p *subproblem) refine(h []float64, tol float64) {
	q := len(p.d)
	if p.moved == nil {
		p.moved = &subproblem{}
	}
	m := p.moved
	p.at, p.part, p.start, m.low, m.high = p.at[:0], p.part[:0], p.start[:0], m.low[:0], m.high[:0]
	m.kink, m.origin = p.kink, m.origin[:0]
	for i, x := range p.d {
		if x == 0 {
			continue
		}
		p.at = append(p.at, i)
		p.start = append(p.start, p.gain[i])
		m.low, m.high = append(m.low, p.low[i]-x), append(m.high, p.high[i]-x)
		if p.kink != 0 {
			m.origin = append(m.origin, p.place(i))
		}
	}
	for _, i := range p.at {
		for _, j := range p.at {
			p.part = append(p.part, h[i*q+j])
		}
	}
	m.least = 0
	m.ascend(p.start, p.part, tol, tol)
	for k, i := range p.at {
		switch m.d[k] { // sums would miss the bounds by rounding
		case m.low[k]:
			p.d[i] = p.low[i]
		case m.high[k]:
			p.d[i] = p.high[i]
		default:
			p.d[i] = min(max(p.d[i]+m.d[k], p.low[i]), p.high[i])
			if p.kink != 0 && m.place(k) == 0 {
				p.d[i] = -p.origin[i]
			}
		}
	}
}

// ascend starts from d = 0 and stops when no pair violates by more than fine, or than coarse if enough coordinates have moved.
func (p *subproblem) ascend(gradient, h []float64, coarse, fine float64) {
	p.joined = 0
	steps := 0
	q := len(gradient)
	p.gain = append(p.gain[:0], gradient...)
	p.d = append(p.d[:0], make([]float64, q)...)
	p.diagonal = p.diagonal[:0]
	for i := range q {
		p.diagonal = append(p.diagonal, h[i*q+i])
	}
	p.look()
	for range rounds {
		for range burst * q {
			tol := fine
			if p.joined >= p.least && steps <= p.joined {
				tol = coarse
			}
			i, j := p.choose(h, tol)
			steps++
			if j < 0 {
				return
			}
			p.move(h, i, j)
		}
		p.try(gradient, h)
	}
}

// try takes the Newton steps and takes them back unless the objective has risen or, where rounding hides that, the violation
// has fallen: over directions without curvature the steps are long, and their rounding can undo what pairs have reached.
func (p *subproblem) try(gradient, h []float64) {
	value, violation := p.value(gradient), p.violation()
	d, gain := slices.Clone(p.d), slices.Clone(p.gain)
	p.newton(h)
	p.look()
	rise := p.value(gradient) - value
	if rise > visible*value || rise >= -visible*value && p.violation() < violation {
		return
	}
	copy(p.d, d)
	copy(p.gain, gain)
	p.look()
}

// look finds out which coordinates have room.
func (p *subproblem) look() {
	p.grow, p.shrink = slices.Grow(p.grow[:0], len(p.d))[:len(p.d)], slices.Grow(p.shrink[:0], len(p.d))[:len(p.d)]
	for k := range p.d {
		p.mark(k)
	}
}

// place is where coordinate k is, as seen from the kink: exactly 0 at it.
func (p *subproblem) place(k int) float64 { return p.origin[k] + p.d[k] }

// piece gives how far coordinate k may go before it comes to a bound or the kink.
func (p *subproblem) piece(k int) (low, high float64) {
	low, high = p.low[k], p.high[k]
	if p.kink != 0 {
		switch at := p.place(k); {
		case at > 0:
			low = max(low, -p.origin[k])
		case at < 0:
			high = min(high, -p.origin[k])
		}
	}
	return low, high
}

func (p *subproblem) mark(k int) {
	p.grow[k], p.shrink[k] = 0, 0
	if p.kink != 0 {
		p.grow[k], p.shrink[k] = p.kink, p.kink
		at := p.place(k)
		if at >= 0 {
			p.grow[k] = -p.kink
		}
		if at > 0 {
			p.shrink[k] = -p.kink
		}
	}
	if p.d[k] >= p.high[k] {
		p.grow[k] = math.Inf(-1)
	}
	if p.d[k] <= p.low[k] {
		p.shrink[k] = math.Inf(1)
	}
}

// violation is the most that a pair of coordinates violates the conditions of optimality.
func (p *subproblem) violation() float64 {
	best, worst := math.Inf(-1), math.Inf(1)
	for k, g := range p.gain {
		best, worst = max(best, g+p.grow[k]), min(worst, g+p.shrink[k])
	}
	return best - worst
}

// value is the objective, G'd - 1/2 d'Hd with Hd = G - gain.
func (p *subproblem) value(gradient []float64) float64 {
	s := 0.0
	for k, x := range p.d {
		s += x * (gradient[k] + p.gain[k]) / 2
		if p.kink != 0 {
			s -= p.kink * (math.Abs(p.place(k)) - math.Abs(p.origin[k]))
		}
	}
	return s
}

// choose takes the steepest coordinate that can grow and the partner that gains most by the quadratic model.
func (p *subproblem) choose(h []float64, tol float64) (up, down int) {
	up, down = -1, -1
	best, worst := math.Inf(-1), math.Inf(1)
	q := len(p.gain)
	gain, grow, shrink := p.gain[:q], p.grow[:q], p.shrink[:q]
	for k, g := range gain {
		if v := g + grow[k]; v > best {
			up, best = k, v
		}
		if v := g + shrink[k]; v < worst {
			worst = v
		}
	}
	if up < 0 || best-worst < tol {
		return up, -1
	}
	row, diagonal := h[up*q:(up+1)*q], p.diagonal[:q]
	own := diagonal[up]
	least, most := tiny*own, 0.0
	for k, g := range gain {
		rise := best - (g + shrink[k])
		if rise <= 0 {
			continue
		}
		curve := own + diagonal[k] - 2*row[k]
		if curve < least {
			curve = least
		}
		if square := rise * rise; square > most*curve {
			down, most = k, square/curve
		}
	}
	return up, down
}

// move takes the best step that raises d_i and lowers d_j alike.
func (p *subproblem) move(h []float64, i, j int) {
	q := len(p.gain)
	a, b := h[i*q:(i+1)*q], h[j*q:(j+1)*q]
	curve := max(p.diagonal[i]+p.diagonal[j]-2*a[j], tiny*p.diagonal[i], math.SmallestNonzeroFloat64)
	for _, k := range [2]int{i, j} {
		if p.d[k] == 0 {
			p.joined++
		}
	}
	_, high := p.piece(i)
	low, _ := p.piece(j)
	step := min((p.gain[i]+p.grow[i]-p.gain[j]-p.shrink[j])/curve, high-p.d[i], p.d[j]-low)
	p.d[i] = min(p.d[i]+step, high)
	p.d[j] = max(p.d[j]-step, low)
	p.mark(i)
	p.mark(j)
	gain := p.gain[:len(a)]
	b = b[:len(a)]
	for k, x := range a {
		gain[k] -= step * (x - b[k])
	}
}

// blockers is the number of coordinates that one round of Newton steps over f may pin to their bounds: each costs a
// factorisation.
func blockers(f int) int {
	const least, work = 20, 1 << 30
	return max(least, min(f, work/max(1, f*f*f)))
}

// newton takes Newton steps over the free coordinates; one that runs into its bound is pinned there and the step repeated
// without it, because a coordinate next to its bound would stop all others.
func (p *subproblem) newton(h []float64) {
	p.free = p.free[:0]
	for k := range p.gain {
		if low, high := p.piece(k); low < p.d[k] && p.d[k] < high && (p.kink == 0 || p.place(k) != 0) {
			p.free = append(p.free, k)
		}
	}
	for range blockers(len(p.free)) {
		step, ok := p.direction(h)
		if !ok {
			return
		}
		length, blocker, bounds := 1.0, -1, [2]float64{}
		for a, i := range p.free {
			low, high := p.piece(i)
			room := high - p.d[i]
			if step[a] < 0 {
				room = low - p.d[i]
			}
			if step[a] != 0 && room/step[a] < length {
				length, blocker, bounds = room/step[a], a, [2]float64{low, high}
			}
		}
		p.advance(h, step, length)
		if blocker < 0 {
			return
		}
		i := p.free[blocker]
		p.d[i] = bounds[0]
		if step[blocker] > 0 {
			p.d[i] = bounds[1]
		}
		p.free = slices.Delete(p.free, blocker, blocker+1)
	}
}

// direction solves for the maximum over the free coordinates with sum d kept: H_FF x = gain_F - mu, sum x = 0.
func (p *subproblem) direction(h []float64) ([]float64, bool) {
	f, q := len(p.free), len(p.gain)
	trace := 0.0
	for _, i := range p.free {
		trace += p.diagonal[i]
	}
	if f < 2 || trace == 0 {
		return nil, false
	}
	p.system, p.right = slices.Grow(p.system[:0], f*f)[:f*f], slices.Grow(p.right[:0], 2*f)[:2*f]
	for a, i := range p.free {
		row := h[i*q : (i+1)*q]
		for b, j := range p.free[a:] {
			p.system[a*f+a+b] = row[j]
		}
		p.system[a*f+a] += ridge * trace / float64(f)
		p.right[a], p.right[f+a] = p.gain[i]+p.kinked(i), 1
	}
	factor, ok := lapack64.Potrf(blas64.Symmetric{Uplo: blas.Upper, N: f, Stride: f, Data: p.system})
	if !ok {
		return nil, false // rounding made it indefinite: pairs go on alone
	}
	x, unit := p.right[:f], p.right[f:]
	for _, v := range [2][]float64{x, unit} {
		blas64.Trsv(blas.Trans, factor, blas64.Vector{N: f, Inc: 1, Data: v})
		blas64.Trsv(blas.NoTrans, factor, blas64.Vector{N: f, Inc: 1, Data: v})
	}
	gain, one := 0.0, 0.0
	for a := range f {
		gain += x[a]
		one += unit[a]
	}
	mu, left := gain/one, 0.0
	step := make([]float64, f)
	for a := range step {
		step[a] = x[a] - mu*unit[a]
		left += step[a] / float64(f) // rounding of a badly conditioned system
	}
	for a := range step {
		step[a] -= left
	}
	return step, true
}

// kinked is what the kink makes of the gain of a coordinate that is not at it.
func (p *subproblem) kinked(k int) float64 {
	if p.kink == 0 {
		return 0
	}
	return -math.Copysign(p.kink, p.place(k))
}

// advance moves the free coordinates and renews the gradient.
func (p *subproblem) advance(h []float64, step []float64, length float64) {
	q := len(p.gain)
	for a, i := range p.free {
		s := length * step[a]
		low, high := p.piece(i)
		p.d[i] = min(max(p.d[i]+s, low), high)
		for k, v := range h[i*q : (i+1)*q] {
			p.gain[k] -= s * v
		}
	}
}
