package chunking

import (
	"math"

	"bigmkl/internal/cholesky"
)

// interior is a primal-dual interior point for the problem of a subproblem with many coordinates,
//
//	min_x  1/2 x'Hx - G'x + kink sum_k |origin_k + x_k|   with  low <= x <= high,  sum x = 0.
//
// A coordinate is made of pieces t with 0 <= t <= cap: one if the objective has one form between its bounds, two if
// there is a kink, x_k = base_k + sum of sign t. With multipliers z of t >= 0 and w of t <= cap, and b of the sum, the
// conditions of optimality are
//
//	sign (Hx - G + b)_k + cost + curvature t - z + w = 0,   t z = 0,   (cap - t) w = 0,
//
// and Newton's step for them, with mu in the place of the zeros of the products, solves
//
//	(H + 1/T) dx = y - db 1,   sum dx = -sum x,   T = sum over the pieces of 1/D,   D = curvature + z/t + w/(cap - t).
//
// The predictor and the corrector (Mehrotra 1992) use one factor of that matrix. The bounds are in it as curvature, so
// the number of steps hardly depends on C, where pairs and working sets take ever more of them.
type interior struct {
	system *interiorSystem
	pace   pace
	gain   []float64 // G
	base   []float64 // x_k where the pieces of k are 0
	pieces []piece

	x, force []float64 // x, and Hx - G
	bias     float64   // b
	shift    float64   // its step

	bound  []float64 // 1/T
	right  []float64 // y, then dx
	ones   []float64 // (H + 1/T)^-1 1
	middle []float64 // y
}

const (
	interiorSteps = 60   // at most; 10 to 25 are usual
	restShare     = 1e-6 // of the first gap, which the rest of the conditions is to fall to
	interiorEnd   = 0.99 // of the way to the nearest bound that a step takes
)

// centre replaces H by the matrix of the differences from point r, H_ij - H_ir - H_rj + H_rr, which gives the same
// x'Hx where sum x = 0. It is positive semi-definite where H is so only for such x, as where k - 1 represents a wide
// kernel. Point r has the least H_rr, from which the fewest digits are lost.
func centre(h []float64, q int) {
	r := 0
	for i := range q {
		if h[i*q+i] < h[r*q+r] {
			r = i
		}
	}
	reference := make([]float64, q)
	copy(reference, h[r*q:(r+1)*q])
	for i := range q {
		row, shift := h[i*q:(i+1)*q], reference[r]-reference[i]
		for j, x := range reference {
			row[j] += shift - x
		}
	}
}

// start puts the pieces inside their bounds, near x = 0, with multipliers that meet the slopes there.
func (n *interior) start() {
	for i := range n.pieces {
		p := &n.pieces[i]
		p.t = p.sign * -n.base[p.at] // where x = 0
		if !p.free {
			p.t = min(max(p.t, 0), p.cap)
		}
	}
	n.open()
	slope, mean := n.meanSlope(), n.system.meanCurvature()
	for i := range n.pieces {
		p := &n.pieces[i]
		switch {
		case p.free:
		case math.IsInf(p.cap, 1):
			p.t = max(p.t, inside*min(slope/max(mean+p.curvature, math.SmallestNonzeroFloat64), farthest))
		default:
			p.t = min(max(p.t, inside*p.cap), (1-inside)*p.cap)
		}
	}
	n.update()
	mean = 0 // of the slopes by the coordinates, which the bias takes away
	for _, f := range n.force {
		mean += f + n.bias
	}
	n.bias -= mean / float64(len(n.force))
	slope = max(n.meanSlope(), math.SmallestNonzeroFloat64)
	for i := range n.pieces {
		p := &n.pieces[i]
		v := n.slope(p)
		switch {
		case p.free:
		case math.IsInf(p.cap, 1):
			p.z = max(v, 0) + inside*slope
		default:
			p.z, p.w = max(v, 0)+n.pace.slope*slope, max(-v, 0)+n.pace.slope*slope
		}
	}
}

// open begins the two pieces of a coordinate at the same place, if the pace is so: there the variable is 0, and slopes are small.
func (n *interior) open() {
	for i := 1; i < len(n.pieces) && n.pace.middle > 0; i++ {
		if p, o := &n.pieces[i-1], &n.pieces[i]; p.at == o.at {
			p.t = n.pace.middle * min(p.cap, o.cap)
			o.t = p.t
		}
	}
}

// inside is the share of the way between the bounds of a piece that it has to each of them at the start.
const inside = 0.1

// meanSlope is the mean size of the slopes.
func (n *interior) meanSlope() float64 {
	sum, count := 0.0, 0
	for i := range n.pieces {
		if p := &n.pieces[i]; !p.free {
			sum += math.Abs(n.slope(p))
			count++
		}
	}
	return sum / float64(max(count, 1))
}

// slope is the derivative of the objective by a piece.
func (n *interior) slope(p *piece) float64 {
	return p.sign*(n.force[p.at]+n.bias) + p.cost + p.curvature*p.t
}

// update computes x and the slopes from the pieces.
func (n *interior) update() {
	copy(n.x, n.base)
	for i := range n.pieces {
		p := &n.pieces[i]
		n.x[p.at] += p.sign * p.t
	}
	copy(n.force, n.gain)
	n.system.times(1, n.x, -1, n.force)
}

// gap is what the objective is above its minimum at most, up to what is left of the conditions, which the second
// number bounds.
func (n *interior) gap() (gap, rest float64) {
	sum := 0.0
	for i := range n.pieces {
		p := &n.pieces[i]
		gap += p.product()
		r := n.slope(p) - p.z + p.w
		rest += math.Abs(r) * math.Abs(p.t)
	}
	for _, x := range n.x {
		sum += x
	}
	return gap, rest + math.Abs(sum*n.bias)
}

// solve takes steps until the gap is at most enough. It returns false if rounding has made the matrix indefinite.
func (n *interior) solve(enough float64) bool {
	count := 0
	for i := range n.pieces {
		count += n.pieces[i].bounds()
	}
	n.start()
	first, _ := n.gap()
	more := corrector{interior: n}
	for range interiorSteps {
		gap, rest := n.gap()
		if gap <= max(enough, rest) && rest <= restShare*first {
			return true
		}
		if !n.factorise() {
			return false
		}
		mu := gap / float64(max(count, 1))
		n.newton(0, false)
		length := n.room()
		after := n.gapAt(length) / float64(max(count, 1))
		ratio := after / mu
		n.newton(mu*ratio*ratio*ratio, true)
		more.correct(mu * ratio * ratio * ratio)
		n.take(min(1, interiorEnd*n.room()))
	}
	gap, rest := n.gap()
	return gap+rest <= restShare*first
}

// newInterior returns the problem of a subproblem. gradient is G, h is H, which is centred in place, and level is near
// -b at the optimum.
func newInterior(p *subproblem, gradient, h []float64, level float64,
	factor *cholesky.Factor, share cholesky.Share) *interior {
	q := len(gradient)
	matrix := denseHessian(h, q)
	if p.sided { // H has the smaller curvature, and pieces have the difference.
		for k, by := range p.bend {
			p.turn(matrix, p.diagonal, k, by < 0)
		}
	}
	centre(h, q)
	memory := make([]float64, 7*q)
	cut := func() (part []float64) {
		part, memory = memory[:q], memory[q:]
		return part
	}
	n := &interior{pace: paceOf(q, p.kinked), gain: gradient, bias: -level}
	n.system = newInteriorSystem(h, q, !p.sided, factor, share)
	n.base, n.x, n.force, n.bound, n.right, n.ones, n.middle = cut(), cut(), cut(), cut(), cut(), cut(), cut()
	for k, g := range gradient {
		n.force[k] = -g
		n.addPieces(&p.coordinates, k)
	}
	return n
}
