package chunking

import (
	"math"
	"slices"
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

// look finds out which coordinates have room.
func (p *subproblem) look() {
	p.grow, p.shrink = slices.Grow(p.grow[:0], len(p.d))[:len(p.d)], slices.Grow(p.shrink[:0], len(p.d))[:len(p.d)]
	for k := range p.d {
		p.mark(k)
	}
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
