package chunking

import (
	"math"
	"slices"
)

// polish takes Newton steps over the free coordinates from the end of an interior point, a primal-dual active set method.
// All that would leave their piece go to its end at once, and those that violate at an end come back into the next step.
// Near the solution this ends after a few steps, each of which has one factorisation.
type polish struct {
	*subproblem
	in    *interior
	tol   float64 // violation by a pair that counts as none
	level float64 // what the gains of free coordinates are
	whole bool    // the last step was a whole one: what violates now is at a wrong end

	free      []int     // coordinates of the step
	low, high []float64 // how far they may go
	slope     []float64 // their gains, with the kink
}

// polishSteps is the number of Newton steps at most. Two to five are usual.
const polishSteps = 10

// newPolish returns a polish that starts at an interior point. Violations at its end may add as much as given to the primal value.
func newPolish(p *subproblem, in *interior, gradient []float64, added float64) *polish {
	size, cost := 0.0, 0.0
	for k, g := range gradient {
		size = max(size, math.Abs(g))
		cost += (p.high[k] - p.low[k]) / 2
	}
	tol := exactTo * size
	if !math.IsInf(cost, 1) {
		// The loss of point k rises by at most C_k times what f is off by.
		tol = max(roundTo*size, added/max(cost, math.SmallestNonzeroFloat64))
	}
	return &polish{subproblem: p, in: in, tol: tol}
}

// begin starts at x, within the bounds.
func (p *polish) begin(gradient, x []float64) {
	p.d = append(p.d[:0], x...)
	for k, v := range x {
		p.d[k] = min(max(v, p.subproblem.low[k]), p.subproblem.high[k])
		if p.sided {
			p.turn(denseHessian(p.in.system.h.Data, p.in.system.h.N), p.diagonal, k, p.place(k) < 0)
		}
	}
	p.level, p.whole = p.in.bias, false
	p.renew(gradient)
}

// renew computes the gains of the d in hand.
func (p *polish) renew(gradient []float64) {
	p.gain = append(p.gain[:0], gradient...)
	p.in.system.times(-1, p.d, 1, p.gain)
	p.markAll()
}

// run takes the steps. It returns false if they do not come to an end.
func (p *polish) run(gradient []float64) bool {
	most, before := slices.Max(p.diagonal), math.Inf(1)
	for range polishSteps {
		if !p.step() {
			return false
		}
		p.renew(gradient)
		sum := 0.0
		for _, x := range p.d {
			sum += x
		}
		// What is left of the sum moves one coordinate, and decision values with it.
		if p.whole && p.violation() <= p.tol && math.Abs(sum)*most <= p.tol {
			return true
		}
		// From too far away steps free the wrong coordinates over and over. Where they take long, this is noticed early.
		now := p.violation()
		if p.in.pace.hasty && now > before/2 && (!p.whole || now > before) {
			return false
		}
		before = now
	}
	return false
}

// collect lists the coordinates of the next step: those between the ends of their pieces, and those that violate at one.
func (p *polish) collect() {
	p.free, p.low, p.high, p.slope = p.free[:0], p.low[:0], p.high[:0], p.slope[:0]
	for k, x := range p.d {
		low, high := p.piece(k)
		g := p.gain[k]
		switch {
		case low < x && x < high && (!p.inPieces() || p.place(k) != 0):
			g += p.kinkedGain(k)
		case !p.whole:
			continue
		case g+p.grow[k] > p.level+p.tol/2:
			low, g = x, g+p.grow[k]
		case g+p.shrink[k] < p.level-p.tol/2:
			high, g = x, g+p.shrink[k]
		default:
			continue
		}
		p.free, p.low, p.high, p.slope = append(p.free, k), append(p.low, low), append(p.high, high), append(p.slope, g)
	}
}

// step takes one step, with the sum of all d at its end 0 if it is a whole one: no coordinate was stopped. It returns false
// if there is nothing to solve, or if rounding has made the matrix indefinite.
func (p *polish) step() bool {
	p.collect()
	f := len(p.free)
	if f == 0 {
		return false
	}
	bound, right, ones := p.in.bound[:f], p.in.right[:f], p.in.ones[:f]
	mean := p.in.system.meanCurvature()
	for a, g := range p.slope {
		bound[a], ones[a], right[a] = ridge*mean, 1, g-p.level
	}
	if !p.in.system.factorisePart(p.free, bound) {
		return false
	}
	p.in.system.factor.Solve(ones)
	p.in.system.factor.Solve(right)
	moved, answer := 0.0, 0.0
	for _, x := range p.d {
		moved += x
	}
	for a, x := range right {
		moved, answer = moved+x, answer+ones[a]
	}
	shift := moved / answer // of the level
	p.level += shift
	p.whole = true
	for a, k := range p.free {
		x := p.d[k] + right[a] - shift*ones[a]
		if x < p.low[a] || x > p.high[a] {
			p.whole = false
		}
		p.d[k] = min(max(x, p.low[a]), p.high[a])
	}
	return true
}
