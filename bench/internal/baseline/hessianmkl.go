package baseline

import (
	"context"
	"slices"

	"bigmkl/chunking"
)

// hessianMKL is the second-order method of Chapelle and Rakotomamonjy (2008). Each step minimises
// the second-order expansion of J over the simplex, which is a quadratic program, and then searches
// along the line to that minimum. It holds an M x M matrix for M kernels.
type hessianMKL struct {
	vectorMachine
	lineSearch
	searching bool
}

// programTo is the tolerance of the quadratic program, relative to the largest violation by a pair. A
// less exact direction still descends, and the line search corrects its length.
const programTo = 1e-6

// Move implements chunking.Rule. A move is either another point of the line search or the start of a
// new one, so each call has exactly one new theta.
func (r *hessianMKL) Move(ctx context.Context, at *chunking.Point, theta []float64) (bool, error) {
	if r.searching && r.nextPoint(at.V, theta) {
		return true, nil
	}
	r.searching = false
	h, err := at.Curvature(ctx)
	if err != nil || h == nil {
		return false, err
	}
	ascent, low, high := make([]float64, len(theta)), make([]float64, len(theta)), make([]float64,
		len(theta))
	for m, x := range at.Theta {
		// The derivative of J by theta_m is -V_m/2. Rounding may make V_m of a kernel without a part
		// slightly negative. The bounds keep theta + d in [0, 1], and the program keeps the sum of d
		// at 0.
		ascent[m], low[m], high[m] = max(at.V[m], 0)/2, -x, 1-x
	}
	// The difference of the slopes is what a pair of weights may violate the conditions of optimality
	// by.
	tolerance := programTo * (slices.Max(ascent) - slices.Min(ascent))
	d := chunking.Quadratic(ascent, h, low, high, tolerance)
	// The length 1 is the minimum of the quadratic model, which the line search tries first.
	r.searching = r.startSearch(at.Theta, d, at.V, 1, theta)
	return r.searching, nil
}
