package chunking

import "math"

// piece is a part of a coordinate, with its multipliers and what a step of Newton does to them.
type piece struct {
	at                         int     // the coordinate
	sign, cap, cost, curvature float64 // cap may be infinite
	free                       bool    // t has no bounds
	t, z, w                    float64
	stiff, push                float64 // D, and what Newton's step balances
	dt, dz, dw                 float64
	low, high                  float64 // second-order terms of t z and of (cap - t) w
}

// slack is what is left to the upper bound.
func (p *piece) slack() float64 { return p.cap - p.t }

// product is the part of a piece in the gap.
func (p *piece) product() float64 {
	switch {
	case p.free:
		return 0
	case math.IsInf(p.cap, 1):
		return p.t * p.z
	}
	return p.t*p.z + p.slack()*p.w
}

// bounds counts the bounds of a piece.
func (p *piece) bounds() int {
	switch {
	case p.free:
		return 0
	case math.IsInf(p.cap, 1):
		return 1
	}
	return 2
}

// addPieces adds the pieces of coordinate k of a subproblem whose h has the smaller of the two curvatures of a loss
// that has two.
func (n *interior) addPieces(p *coordinates, k int) {
	low, high := p.low[k], p.high[k]
	switch zero := -p.origin[k]; {
	case low == high:
		n.base[k] = low
		return
	case p.inPieces() && low < zero && zero < high:
		n.base[k] = zero
		kink := 0.0
		if p.kinked {
			kink = p.kinks[k]
		}
		up, down := piece{at: k, sign: 1, cap: high - zero, cost: kink}, piece{at: k, sign: -1, cap: zero - low, cost: kink}
		if p.sided {
			up.curvature, down.curvature = max(-p.bend[k], 0), max(p.bend[k], 0)
		}
		n.pieces = append(n.pieces, up, down)
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		n.pieces = append(n.pieces, piece{at: k, sign: 1, cap: high, free: true})
	case math.IsInf(low, -1):
		n.base[k] = high
		n.pieces = append(n.pieces, piece{at: k, sign: -1, cap: math.Inf(1), cost: p.slopeOf(k, -1)})
	default:
		n.base[k] = low
		n.pieces = append(n.pieces, piece{at: k, sign: 1, cap: high - low, cost: p.slopeOf(k, 1)})
	}
}

// slopeOf is what the kink adds to the slope of a coordinate that stays on one side of it and moves by sign.
func (p *coordinates) slopeOf(k int, sign float64) float64 {
	if !p.kinked {
		return 0
	}
	if p.origin[k]+p.high[k] <= 0 {
		return -sign * p.kinks[k]
	}
	return sign * p.kinks[k]
}
