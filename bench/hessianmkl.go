package main

import (
	"context"
	"slices"

	"bigmkl/chunking"
)

// hessianMKL is the second-order method (Chapelle and Rakotomamonjy 2008): the weights that minimise the second-order expansion of J,
// a quadratic program over the simplex, and a search on the way to them. It holds M x M numbers for M kernels.
type hessianMKL struct {
	vectorMachine
	lineSearch
	searching bool
}

// programTo is the tolerance of the quadratic program as a share of the largest violation by a pair.
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
	ascent, low, high := make([]float64, len(theta)), make([]float64, len(theta)), make([]float64, len(theta))
	for m, x := range at.Theta {
		ascent[m], low[m], high[m] = max(at.V[m], 0)/2, -x, 1-x
	}
	tolerance := programTo * (slices.Max(ascent) - slices.Min(ascent))
	d := chunking.Quadratic(ascent, h, low, high, tolerance)
	r.searching = r.startSearch(at.Theta, d, at.V, 1, theta)
	return r.searching, nil
}
