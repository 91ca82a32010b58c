package surface

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// region is where the least point is looked for: |x_m| <= box, and at most radius from a centre in
// that box, which is the best point so far.
type region struct {
	centre      []float64
	box, radius float64
}

// The problem is min s(x) over the region. If H is positive semi-definite and the point nearest to
// the centre at which the slope vanishes lies in the region, that is the answer in closed form. Else
// the answer lies at the edge, or H is indefinite, and projected gradient steps go down from the
// centre and from points around it; the least of their ends is taken. That is a local minimum: an
// indefinite quadratic over a box has many, and the surface is not exact enough to ask for the least.

// minimum returns the point of the region at which the surface is least.
func (q *Quadratic) minimum(r region) []float64 {
	factors := len(r.centre)
	h := mat.NewSymDense(factors, nil)
	for m, row := range q.Hessian {
		for k := m; k < factors; k++ {
			h.SetSym(m, k, row[k])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(h, true) {
		return r.centre
	}
	bends := eigen.Values(nil)
	var axes mat.Dense
	eigen.VectorsTo(&axes)
	slope := q.slope(r.centre)
	if x := newtonPoint(bends, &axes, slope, r.centre, math.Abs(q.Constant)); x != nil && r.contains(x) {
		return x
	}
	best, least := r.centre, q.Value(r.centre)
	try := func(direction []float64, length float64) {
		x := make([]float64, factors)
		for m := range x {
			x[m] = r.centre[m] + length*direction[m]
		}
		x = q.descend(r, r.project(x), bends)
		if v := q.Value(x); v < least {
			best, least = x, v
		}
	}
	direction := make([]float64, factors)
	try(direction, 0)
	for m := range factors {
		clear(direction)
		direction[m] = 1
		axis := mat.Col(nil, m, &axes)
		for _, length := range []float64{r.radius, -r.radius} {
			try(direction, length)
			try(axis, length)
		}
	}
	return best
}

// flatShare is the share of the height, the largest bend and the largest slope below which a bend or a
// slope is one of rounding.
const flatShare = 1e-9

// newtonPoint returns the point nearest to the centre at which the slope vanishes, nil if the surface
// has no least point. axes holds the directions of the bends, one a column, and height is the height of the
// surface.
func newtonPoint(bends []float64, axes *mat.Dense, slope, centre []float64,
	height float64) []float64 {
	scale := height
	for m := range bends {
		scale = max(scale, math.Abs(bends[m]), math.Abs(slope[m]))
	}
	x := append([]float64(nil), centre...)
	for k, bend := range bends {
		along := 0.0
		for m, s := range slope {
			along += axes.At(m, k) * s
		}
		switch {
		case bend > flatShare*scale:
			for m := range x {
				x[m] -= along / bend * axes.At(m, k)
			}
		case bend < -flatShare*scale || math.Abs(along) > flatShare*scale:
			return nil
		}
	}
	return x
}

// descend takes projected gradient steps of a length at which the surface cannot rise, until they
// end.
func (q *Quadratic) descend(r region, x, bends []float64) []float64 {
	const (
		steps = 2000
		still = 1e-13 // the length of a step that counts as none
	)
	steepest := 0.0
	for _, s := range q.slope(r.centre) {
		steepest = max(steepest, math.Abs(s))
	}
	bend := max(math.Abs(bends[0]), math.Abs(bends[len(bends)-1]), steepest/r.radius)
	if bend == 0 {
		return x // The surface is a plane without a slope.
	}
	for range steps {
		next := make([]float64, len(x))
		for m, s := range q.slope(x) {
			next[m] = x[m] - s/bend
		}
		next = r.project(next)
		moved := distance(x, next)
		if x = next; moved < still {
			break
		}
	}
	return x
}

// contains reports whether a point lies in the region.
func (r *region) contains(x []float64) bool {
	for _, v := range x {
		if math.Abs(v) > r.box {
			return false
		}
	}
	return distance(x, r.centre) <= r.radius
}

// project returns the point of the region nearest to x. It is the projection onto the box of a point
// between the centre and x, because the multiplier of the ball draws towards the centre.
func (r *region) project(x []float64) []float64 {
	between := func(share float64) []float64 {
		y := make([]float64, len(x))
		for m := range y {
			y[m] = min(r.box, max(-r.box, r.centre[m]+share*(x[m]-r.centre[m])))
		}
		return y
	}
	y := between(1)
	if distance(y, r.centre) <= r.radius {
		return y
	}
	low, high := 0.0, 1.0
	const halvings = 60
	for range halvings {
		if middle := (low + high) / 2; distance(between(middle), r.centre) <= r.radius {
			low = middle
		} else {
			high = middle
		}
	}
	return between(low)
}

// distance returns the Euclidean distance of two points.
func distance(x, y []float64) float64 {
	s := 0.0
	for m := range x {
		s += (x[m] - y[m]) * (x[m] - y[m])
	}
	return math.Sqrt(s)
}
