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

// programTo is the tolerance of the quadratic program, relative to the largest violation by a pair.
const programTo = 1e-6

// Move implements chunking.Rule.
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
		ascent[m], low[m], high[m] = max(at.V[m], 0)/2, -x, 1-x
	}
	tolerance := programTo * (slices.Max(ascent) - slices.Min(ascent))
	d := chunking.Quadratic(ascent, h, low, high, tolerance)
	r.searching = r.startSearch(at.Theta, d, at.V, 1, theta)
	return r.searching, nil
}
