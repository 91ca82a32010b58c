package chunking

import (
	"context"
	"math"
	"slices"
)

// cuttingPlane is the cutting plane algorithm (Sonnenburg, Raetsch, Schaefer and Schoelkopf 2006 for p = 1; Kloft 2011, Algorithm D.1).
// Every alpha gives a linear lower bound of J, a cut, and the next weights are those where the largest of the cuts is least:
//
//	min eta  such that  L^r - 1/2 sum_m theta_m V_m^r <= eta for all cuts r,  ||theta|| <= 1 in the exponent p/(2-p)
//
// see cuts. Interleaved, a cut is taken as soon as it lies above eta by some of what alpha may still gain; wrapped, alpha is optimised
// to a share of the distance first.
type cuttingPlane struct {
	cuts
	wrapped bool
	double  bool // the cuts are in double precision
}

const (
	cutShare   = 0.1 // of the distance that the gap at fixed weights may be at a cut
	deepEnough = 1   // times what alpha may still gain, by which a cut lies above eta
)

// NewCuttingPlane returns the norm p in [1, 2] over some number of kernels, with weights by cutting planes. indefinite marks
// kernels that may be indefinite; nil means none.
func NewCuttingPlane(p float64, kernels int, wrapped bool, indefinite []bool) *Held {
	n := NewBlockNorm(p, indefinite)
	return NewHeld(n, &cuttingPlane{cuts: cuts{norm: n, eta: math.Inf(-1)}, wrapped: wrapped}, kernels)
}

// Ready implements Rule.
func (r *cuttingPlane) Ready(at *Point) bool {
	if r.norm.p == 2 {
		return false // weights of 1 are the only ones
	}
	if at.Stuck {
		return true
	}
	if r.wrapped && at.Gap > cutShare*max(at.Distance, at.Goal) {
		return false
	}
	return at.Double != r.double || at.Value-r.eta >= deepEnough*at.Gap
}

// Move implements Rule.
func (r *cuttingPlane) Move(_ context.Context, at *Point, theta []float64) (bool, error) {
	if at.Double != r.double { // cuts of single precision are no bounds in double
		r.double = at.Double
		r.clear()
	}
	r.add(at.Linear, at.V)
	r.solve(theta)
	return !slices.Equal(theta, at.Theta), nil
}
