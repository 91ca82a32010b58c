package surface

import "slices"

// Search states which point is to be measured next. It keeps nothing between two calls: all that
// it returns is a function of what was measured, so a search that was interrupted goes on to the
// same points.
type Search struct {
	// Step is how far the points of the design are from the centre, along each factor.
	Step float64
	// Box bounds each factor on both sides, and Radius the distance from the best point so far.
	Box, Radius float64
	// Same is the distance up to which a point is one that was measured before.
	Same float64
	// MostSteps is the largest number of points after the design.
	MostSteps int
}

// Default holds the numbers of the search over log10 of regularisation parameters.
var Default = Search{Step: 0.3, Box: 1, Radius: 0.6, Same: 0.01, MostSteps: 14}

// Design returns the second-order Koshal design: the centre, for each factor a point to either side,
// and for each pair of factors one with both raised. These are as many points as a quadratic has
// coefficients.
func (s Search) Design(factors int) [][]float64 {
	raised := func(by float64, which ...int) []float64 {
		x := make([]float64, factors)
		for _, m := range which {
			x[m] = by
		}
		return x
	}
	points := [][]float64{raised(0)}
	for m := range factors {
		points = append(points, raised(s.Step, m), raised(-s.Step, m))
	}
	for m := range factors {
		for h := m + 1; h < factors; h++ {
			points = append(points, raised(s.Step, m, h))
		}
	}
	return points
}

// Next returns the point to measure after those that have values, nil if the search has ended. The
// points are those that Next has returned so far, in order.
func (s Search) Next(factors int, points [][]float64, values []float64) []float64 {
	design := s.Design(factors)
	if len(points) < len(design) {
		return design[len(points)]
	}
	if len(points) >= len(design)+s.MostSteps {
		return nil
	}
	centre := points[Best(values)]
	x := Fit(points, values).minimum(region{centre, s.Box, s.Radius})
	if slices.ContainsFunc(points, func(y []float64) bool { return distance(x, y) <= s.Same }) {
		return nil
	}
	return x
}

// Best returns the number of the least value, of several the last: the surface has asked for it
// knowing those before.
func Best(values []float64) int {
	best := 0
	for i, v := range values {
		if v <= values[best] {
			best = i
		}
	}
	return best
}
