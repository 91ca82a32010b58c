package baseline

import (
	"context"

	"bigmkl/chunking"
)

// simpleMKL is the reduced gradient method with a line search (Rakotomamonjy, Bach, Canu and
// Grandvalet 2008, Algorithm 1). The direction is the gradient minus its component at the largest
// weight, which keeps the sum of the weights. The method follows it from where one weight becomes 0
// to where the next does, as long as J falls, and then searches.
type simpleMKL struct {
	vectorMachine
	lineSearch
	// largest is the weight that keeps the sum.
	largest   int
	searching bool
}

// Move implements chunking.Rule. It returns false if no direction lowers J, which ends the training.
func (r *simpleMKL) Move(_ context.Context, at *chunking.Point, theta []float64) (bool, error) {
	if r.searching {
		if r.nextPoint(at.V, theta) {
			return true, nil
		}
		r.searching = false
		// J still falls at the end of the direction, so the search continues along what is left of
		// it.
		if r.at == r.longest {
			d := r.direction
			for m, x := range at.Theta {
				// The weight has reached 0. Its part of the direction goes to the largest weight, so
				// the sum stays 1.
				if x == 0 && d[m] < 0 {
					d[r.largest] += d[m]
					d[m] = 0
				}
			}
			if r.follow(at, d, theta) {
				return true, nil
			}
		}
	}
	return r.follow(at, r.reduced(at), theta), nil
}

// follow starts a line search along d that ends where the first weight becomes 0.
func (r *simpleMKL) follow(at *chunking.Point, d, theta []float64) bool {
	longest := 0.0
	for m, x := range d {
		// A weight of 0 has no negative direction here, so every candidate is above 0.
		if x < 0 && (longest == 0 || -at.Theta[m]/x < longest) {
			longest = -at.Theta[m] / x
		}
	}
	r.searching = r.startSearch(at.Theta, d, at.V, longest, theta)
	return r.searching
}

// reduced returns minus the reduced gradient. Weights of 0 do not fall.
func (r *simpleMKL) reduced(at *chunking.Point) []float64 {
	d := make([]float64, len(at.V))
	r.largest = 0
	for m, x := range at.Theta {
		if x > at.Theta[r.largest] {
			r.largest = m
		}
	}
	for m, v := range at.V {
		// The reduced gradient is taken at the largest weight, as in the paper. It is the farthest from its
		// bound.
		d[m] = (max(v, 0) - max(at.V[r.largest], 0)) / 2
		if at.Theta[m] == 0 && d[m] < 0 {
			d[m] = 0
		}
	}
	d[r.largest] = 0
	for m, x := range d {
		if m != r.largest {
			d[r.largest] -= x
		}
	}
	return d
}
