package chunking

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

// subproblem is the problem of a working set of q points: the best change d of alpha there, by the
// quadratic model of the dual,
//
//	max_d  G'd - 1/2 d'Hd - sum_k kink_k |origin_k + d_k|   with  low <= d <= high,  sum d = 0.
//
// Kinks belong to the epsilon-insensitive loss, and other losses have none. A coordinate moves
// as far as the kink, where origin + d = 0, and on from there at another slope.
//
// The solver takes pairs of coordinates, chosen by second-order information (Fan, Chen and Lin
// 2005, WSS 2), which quickly finds out which coordinates lie at their bounds. Near p = 1, for p >
// 2 and at small gaps H is badly conditioned and pairs creep: then Newton steps on the free
// coordinates take over, in turn with bursts of pairs.
//
// A coordinate that leaves 0 costs a row of the pass, however far it goes. So, once a share of them
// has, others join in only while they violate by more than a coarse tolerance, and those that have
// left 0 are optimised to a fine one among themselves. Where the pairs taken outnumber the
// coordinates that they move, H is badly conditioned: then solving the problem exactly saves
// iterations.
//
// A subproblem keeps its memory from one solve to the next and nothing else.
type subproblem struct {
	coordinates
	gain     []float64 // gradient of the objective at d, without the kink: G - Hd
	diagonal []float64 // of H

	// What the kink adds to gain where a coordinate grows, -inf if it cannot, and where it shrinks,
	// +inf if it cannot. So the steepest pair is a maximum and a minimum without any case.
	grow, shrink []float64

	large  bool // the set is so large that its problem is not always solved to the end
	least  int  // coordinates that have to leave 0 before the coarse tolerance counts
	joined int  // coordinates that have left 0

	// The Newton step: its free coordinates, the last of them the reference, which keeps their sum;
	// its system, which becomes the factor; its right-hand side, which becomes the solution.
	free          []int
	reference     int
	system, right []float64
	factor        blas64.Triangular

	// The problem of the coordinates that have left 0: which they are, and their part of H and of
	// the gradient.
	moved *subproblem
	at    []int
	part  []float64
	start []float64
}

// coordinates are the variables of a subproblem: where they are, and where they may go.
type coordinates struct {
	low, high []float64 // bounds of d, around 0
	kinked    bool      // the loss has kinks
	kinks     []float64 // of the loss, of each coordinate
	origin    []float64 // alpha where d = 0, for the kink and for the sides
	d         []float64
	sided     bool      // the curvature of the loss is another one below 0; see Sided
	bend      []float64 // how much larger it is there
	turned    []bool    // H has the curvature below 0, and not that above
}

// inPieces reports whether the objective changes its form where a variable of the loss is 0.
func (p *coordinates) inPieces() bool { return p.kinked || p.sided }

// markAll finds out for all coordinates which way they can move.
func (p *subproblem) markAll() {
	p.grow, p.shrink = slices.Grow(p.grow[:0], len(p.d))[:len(p.d)], slices.Grow(p.shrink[:0], len(p.d))[:len(p.d)]
	for k := range p.d {
		p.mark(k)
	}
}

// mark finds out which way coordinate k can move, and what the kink adds to its gain either way.
func (p *subproblem) mark(k int) {
	p.grow[k], p.shrink[k] = 0, 0
	if p.kinked {
		kink := p.kinks[k]
		p.grow[k], p.shrink[k] = kink, kink
		at := p.place(k)
		if at >= 0 {
			p.grow[k] = -kink
		}
		if at > 0 {
			p.shrink[k] = -kink
		}
	}
	if p.d[k] >= p.high[k] {
		p.grow[k] = math.Inf(-1)
	}
	if p.d[k] <= p.low[k] {
		p.shrink[k] = math.Inf(1)
	}
}

// place is where coordinate k is, as seen from the kink: exactly 0 at the kink.
func (p *coordinates) place(k int) float64 { return p.origin[k] + p.d[k] }

// piece gives how far coordinate k may go before it comes to a bound or to where the objective changes its form. In between the
// objective is quadratic.
func (p *coordinates) piece(k int) (low, high float64) {
	low, high = p.low[k], p.high[k]
	if p.inPieces() {
		switch at := p.place(k); {
		case at > 0:
			low = max(low, -p.origin[k])
		case at < 0:
			high = min(high, -p.origin[k])
		}
	}
	return low, high
}

// kinkedGain is what the kink adds to the gain of a coordinate that is not at it.
func (p *coordinates) kinkedGain(k int) float64 {
	if !p.kinked {
		return 0
	}
	return -math.Copysign(p.kinks[k], p.place(k))
}

// violation is the most by which a pair of coordinates violates the conditions of optimality.
func (p *subproblem) violation() float64 {
	best, worst := math.Inf(-1), math.Inf(1)
	for k, g := range p.gain {
		best, worst = max(best, g+p.grow[k]), min(worst, g+p.shrink[k])
	}
	return best - worst
}

// turn gives H, and its diagonal, the curvature of the loss on the side of 0 that coordinate k goes to.
func (p *coordinates) turn(h *hessian, diagonal []float64, k int, below bool) {
	if p.turned[k] == below {
		return
	}
	p.turned[k] = below
	by := p.bend[k]
	if !below {
		by = -by
	}
	diagonal[k] = h.bend(k, by)
}

// crossed is what value misses of a coordinate that has come to the other side of 0: with the curvature c of the
// loss where it was and c' where it is, half of (c - c') origin (origin + d).
func (p *coordinates) crossed(k int) float64 {
	switch at := p.place(k); {
	case p.origin[k] < 0 && at > 0:
		return p.bend[k] * p.origin[k] * at / 2
	case p.origin[k] > 0 && at < 0:
		return -p.bend[k] * p.origin[k] * at / 2
	}
	return 0
}

// value is the objective, G'd - 1/2 d'Hd less the kink. As Hd = G - gain, it takes no product with
// H.
func (p *subproblem) value(gradient []float64) float64 {
	s := 0.0
	for k, x := range p.d {
		s += x * (gradient[k] + p.gain[k]) / 2
		if p.kinked {
			s -= p.kinks[k] * (math.Abs(p.place(k)) - math.Abs(p.origin[k]))
		}
		if p.sided {
			s += p.crossed(k)
		}
	}
	return s
}
