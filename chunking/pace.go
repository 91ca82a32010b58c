package chunking

import "math"

// pace is how an interior point goes. Where a factorisation takes most of the time, it begins where the pieces have
// room on both sides, takes centrality correctors, and ends not far below the gap in question.
type pace struct {
	middle     float64 // share of its bounds at which each of the two pieces of a coordinate begins; 0: near x = 0
	slope      float64 // multipliers at the start, as a share of the mean slope
	correctors int     // solutions of one more system that a step may take to become longer
	depth      float64 // share of the gap that is to be reached to which the problem is solved
	hasty      bool    // an exact solution is worth few factorisations
}

// paceOf returns the pace for q coordinates. Coordinates of one piece begin near x = 0: in the middle, where each
// variable is half of a large C, their slopes would be too large.
func paceOf(q int, kinked bool) pace {
	if q < costly || !kinked {
		return pace{slope: inside, depth: depth}
	}
	return pace{middle: 0.3, slope: 1, correctors: 1, depth: 0.02, hasty: true}
}

// costly is the number of coordinates from which on a factorisation takes ten times as long as all else in a step.
const costly = 1024

// corrector makes a step longer by bringing products of pieces and multipliers nearer to each other (Gondzio 1996,
// "Multiple centrality correctors in a primal-dual method for linear programming").
type corrector struct {
	*interior
	kept []piece
}

// correct tries correctors for a step towards products of mu.
func (c *corrector) correct(mu float64) {
	const (
		longer, more    = 1.08, 0.1 // the step that is aimed at: this many times the one in hand, and more
		least, most     = 0.1, 10   // products as shares of mu
		worth, complete = 0.02, 1.01
	)
	for range c.pace.correctors {
		room, shift := c.room(), c.shift
		if room >= complete {
			return
		}
		c.kept = append(c.kept[:0], c.pieces...)
		length := min(1, longer*room+more)
		bring := func(product float64) float64 {
			return max(min(max(product, least*mu), most*mu)-product, -most*mu)
		}
		for i := range c.pieces {
			p := &c.pieces[i]
			if p.free {
				continue
			}
			p.low += bring((p.t + length*p.dt) * (p.z + length*p.dz))
			if !math.IsInf(p.cap, 1) {
				p.high += bring((p.slack() - length*p.dt) * (p.w + length*p.dw))
			}
		}
		c.direct()
		if min(1, c.room()) < min(1, room)+worth {
			copy(c.pieces, c.kept)
			c.shift = shift
			return
		}
	}
}
