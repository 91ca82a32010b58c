package chunking

import (
	"math"

	"bigmkl/internal/cholesky"
)

const (
	// depth is the share of the gap that is to be reached to which an interior point solves the problem of all points. The
	// last steps of an interior point take its gap to a thirtieth each, and tell bounds from free variables.
	depth = 1e-3
	// nextGap is the share of the gap in hand that a step leaves at most, where weights move between steps.
	nextGap = 1e-2
	// shortOf is the share of the size of the objective in hand that it has at the end, at least.
	shortOf = 1e-2
	// exact is the share of that gap which violations after the step may add to the primal value.
	exact = 1e-2
	// exactTo is the violation that counts as none where variables have no bounds, as a share of the largest gradient.
	exactTo = 1e-8
	// roundTo is the violation that may be rounding, as such a share.
	roundTo = 1e-13
)

// solveInside solves the problem of the working set in hand by an interior point, and then exactly, as far as the interior
// point separates bounds from free variables. Where rounding has made the matrix indefinite, the set is solved as others are.
func (s setStep) solveInside(gradient, h []float64, tol float64) {
	p, q := &s.inner, len(gradient)
	if s.whole == nil {
		s.whole = &cholesky.Factor{}
	}
	diagonal := make([]float64, q)
	for i := range diagonal {
		diagonal[i] = h[i*q+i]
	}
	p.diagonal = append(p.diagonal[:0], diagonal...)
	n := newInterior(p, gradient, h, s.cert.level, s.whole, s.blocks.Share)
	goal := max(s.gap*s.cert.size(), nextGap*s.cert.Gap())
	if n.pace.hasty && len(s.theta) == 1 {
		// The weight stays, so this step is to reach the gap. The objective ends near the dual value rather than the primal one.
		goal = s.gap * max(min(s.cert.Dual, s.cert.size()), shortOf*s.cert.size())
	}
	if n.solve(n.pace.depth * goal) {
		e := newPolish(p, n, gradient, exact*goal)
		e.begin(gradient, n.round(held))
		if !e.run(gradient) {
			// The end of the interior point is near enough, but leaves more variables between their bounds.
			e.begin(gradient, n.round(fixed))
		}
	} else {
		p.solve(gradient, denseHessian(n.system.spread(), q), tol, tol)
	}
	// The rounding of values is estimated from the diagonal of the kernels.
	p.diagonal = append(p.diagonal[:0], diagonal...)
}

// round gives the x of the interior with the pieces that their bounds hold at these: where the curvature of a bound is
// above a share of that of H. What is left of the sum then goes to the coordinate that is furthest from its bounds.
func (n *interior) round(held float64) []float64 {
	x, room := append([]float64(nil), n.base...), make([]float64, len(n.base))
	mean := n.system.meanCurvature()
	for i := range n.pieces {
		p := &n.pieces[i]
		t, stiff := p.t, held*(mean+p.curvature)
		switch {
		case p.free:
			room[p.at] = math.Inf(1)
		case p.z > stiff*p.t:
			t = 0
		case !math.IsInf(p.cap, 1) && p.w > stiff*p.slack():
			t = p.cap
		default:
			room[p.at] = min(p.t, p.slack())
		}
		x[p.at] += p.sign * t
	}
	sum, best := 0.0, 0
	for k, v := range x {
		sum += v
		if room[k] > room[best] {
			best = k
		}
	}
	if room[best] > math.Abs(sum) {
		x[best] -= sum
	}
	return x
}

// held is the share of the mean curvature of H from which on the curvature of a bound holds a piece, if Newton steps
// follow. At the end of the interior point the curvatures of bounds that hold and of others are many powers of ten
// apart. Without such steps it is fixed: each change moves all decision values a little.
const (
	held  = 1e-2
	fixed = 1e6
)
