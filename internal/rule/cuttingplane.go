package rule

import (
	"context"
	"math"
	"slices"

	"bigmkl/chunking"
	"bigmkl/chunking/norm"
)

// cuttingPlane is the cutting plane algorithm (Sonnenburg, Raetsch, Schaefer and Schoelkopf 2006
// for p = 1; Kloft 2011, Algorithm D.1). Every alpha gives a linear lower bound of J, a cut, and
// the next weights are those where the largest of the cuts is least:
//
//	min eta  such that  L^r - 1/2 sum_m theta_m V_m^r <= eta for all cuts r,  ||theta|| <= 1 in the exponent p/(2-p)
//
// A cut is taken once it lies above eta by a share of what alpha may still gain. Interleaved, that
// is a small share. Wrapped, it is all that is left when alpha has been optimised to a share of the
// distance.
type cuttingPlane struct {
	cuts
	loose   float64 // share of the distance that the gap at fixed weights may be at a cut
	depth   float64 // times what alpha may still gain, by which a cut has to lie above eta
	doubles int     // solvers in double precision when the cuts were taken
}

// interleavedDepth was chosen by iterations: 45, 76, 96 and 113 for 0.01, 0.3, 1 and 3 on 2,000
// points of MNIST with 50 Gaussians, p = 4/3. Below 0.01 there are more steps of the weights, and
// no fewer iterations.
const interleavedDepth = 0.01

// NewCuttingPlane returns the block norm p in [1, 2] over the given number of kernels, with weights
// by cutting planes. wrapped makes it train a whole support vector machine for each cut. indefinite
// marks kernels that may be indefinite; nil means none.
func NewCuttingPlane(p float64, kernels int, wrapped bool, indefinite []bool) *Held {
	n := norm.NewBlock(p, indefinite)
	r := &cuttingPlane{cuts: cuts{norm: n, eta: math.Inf(-1)}, loose: math.Inf(1), depth: interleavedDepth}
	if wrapped {
		r.loose, r.depth = wrapperShare, 1
	}
	return NewHeld(n, r, kernels)
}

// Ready implements chunking.Rule.
func (r *cuttingPlane) Ready(at *chunking.Point) bool {
	if r.norm.P() == 2 {
		return false // weights of 1 are the only ones
	}
	switch {
	// Rounding leaves no more of alpha to gain: this cut is as high as it will be.
	case at.Stuck:
		return true
	case at.Gap > r.loose*max(at.Distance, at.Goal):
		return false
	}
	return at.Doubles != r.doubles || at.Value-r.eta >= r.depth*at.Gap
}

// Move implements chunking.Rule.
func (r *cuttingPlane) Move(_ context.Context, at *chunking.Point, theta []float64) (bool, error) {
	if slices.Max(at.V) <= 0 {
		return false, nil // w vanishes: any weights are as good
	}
	if at.Doubles != r.doubles { // cuts of single precision are not bounds in double
		r.doubles = at.Doubles
		r.clear()
	}
	r.add(at.Linear, at.V)
	r.solve(theta)
	return !slices.Equal(theta, at.Theta), nil
}
