package descent

import (
	"math"
	"slices"
)

// aim chooses a direction from the point in hand and the first trial along it.
func (d *Descent) aim() {
	d.Searched, d.Short, d.Long, d.Held, d.HeldSlope = 0, 0, 0, nil, nil
	free := d.options.free(d.Point, d.Slope)
	size := math.Sqrt(dot(free, free))
	if !(size > 0) || math.IsInf(size, 0) {
		d.end(d.blocked()) // No direction, or none that can be followed.
		return
	}
	if d.Direction = quasiNewton(d.Pairs, free); !(dot(d.Direction, free) < 0) {
		d.Pairs = nil
	}
	if d.Pairs != nil && d.follow(1) {
		return
	}
	// Nothing is known of the curvature, or bounds clip all of what it states: the first step has
	// the length 1 down the slope.
	d.Pairs = nil
	for k, x := range free {
		d.Direction[k] = -x
	}
	if !d.follow(1 / size) {
		d.end(d.blocked())
	}
}

// follow tries a length of the direction in hand. It is false if what bounds leave of it leads up.
func (d *Descent) follow(length float64) bool {
	d.Length = length
	if far := length * math.Sqrt(dot(d.Direction, d.Direction)); d.options.Longest > 0 && far > d.options.Longest {
		d.Length *= d.options.Longest / far
	}
	d.tryAt()
	return d.along(d.Slope) < 0
}

// blocked returns the end where no variable can move down the slope. Without a slope that is a number it is
// none that has settled.
func (d *Descent) blocked() End {
	if d.flat(d.options.Tolerance) {
		return Settled
	}
	return Stalled
}

// Free returns a slope at the trial without what no variable may follow.
func (d *Descent) Free(slope []float64) []float64 { return d.options.free(d.Trial, slope) }

// free returns the slope at a point without the part of variables that are held, and of those at bounds
// that it would push out of them.
func (o *Options) free(point, slope []float64) []float64 {
	g := slices.Clone(slope)
	for k, held := range o.Held {
		if held {
			g[k] = 0
		}
	}
	for k := range o.Lower {
		if point[k] <= o.Lower[k] && g[k] > 0 || point[k] >= o.Upper[k] && g[k] < 0 {
			g[k] = 0
		}
	}
	return g
}

// quasiNewton returns the direction -Hg by the two loops over the pairs (Nocedal 1980). Variables
// without a slope do not move.
func quasiNewton(pairs [][]float64, g []float64) []float64 {
	q := make([]float64, len(g))
	for k, x := range g {
		q[k] = -x
	}
	n := len(pairs) / 2
	share := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		s, y := pairs[2*i], pairs[2*i+1]
		share[i] = dot(s, q) / dot(s, y)
		addTo(q, -share[i], y)
	}
	if n > 0 {
		s, y := pairs[2*n-2], pairs[2*n-1]
		scale := dot(s, y) / dot(y, y)
		for k := range q {
			q[k] *= scale
		}
	}
	for i := range n {
		s, y := pairs[2*i], pairs[2*i+1]
		addTo(q, share[i]-dot(y, q)/dot(s, y), s)
	}
	for k, x := range g {
		if x == 0 {
			q[k] = 0
		}
	}
	return q
}

// tryAt sets the trial to the step of the length in hand.
func (d *Descent) tryAt() {
	d.Trial = slices.Clone(d.Point)
	addTo(d.Trial, d.Length, d.Direction)
	d.options.clip(d.Trial)
}

// clip moves variables into their bounds.
func (o *Options) clip(v []float64) {
	for k := range o.Lower {
		v[k] = min(max(v[k], o.Lower[k]), o.Upper[k])
	}
}

// dot returns a'b.
func dot(a, b []float64) float64 {
	sum := 0.0
	for k, x := range a {
		sum += x * b[k]
	}
	return sum
}

// addTo adds t b to a.
func addTo(a []float64, t float64, b []float64) {
	for k, x := range b {
		a[k] += t * x
	}
}
