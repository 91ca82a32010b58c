package chunking

import (
	"context"
	"math"
	"slices"
)

// unit is the root mean square of what rounding to double precision does to a number, relative to
// it. It is about half of the most that it can do.
const unit = 0.5 / (1 << 53)

const (
	// noiseSample is the number of support vectors on which noise is estimated.
	noiseSample = 16
	// valueUnits is how many units a value may be off by relative to itself, and not to the lengths
	// of its two points.
	valueUnits = 16
)

// noise estimates by how much double precision moves the primal and the dual value, however they
// are computed: drift, which compares with double precision, does not see that. A value k_m(x,z) is
// off by about (k_m(x,x) k_m(z,z))^(1/2) units. With independent errors of the values and the sums
// over the support vectors
//
//	a_m = sum_s alpha_s^2 k_m(x_s,x_s)     V_m is off by a_m units
//	a   = sum_m theta_m a_m                f at x by (a k(x,x))^(1/2), k = sum_m theta_m k_m, and has a cost on each of them
//
// A value of a kernel that is a difference of larger ones is off by so many times more as magnifier gives: k_m(x,x)
// counts that many times.
//
// That is far too much where points have very different k(x,x), as k(x,z) may be tiny beside
// (k(x,x) k(z,z))^(1/2). So where it is more than enough, f at x is taken to be off by no more than
// valueUnits of sum_s |alpha_s| k(x_s,x).
func (s rounding) noise(ctx context.Context, c Checker, enough float64) (float64, error) {
	var points []int
	largest := 0
	for i, a := range s.alpha {
		if a != 0 {
			points = append(points, i)
		}
		if math.Abs(a) > math.Abs(s.alpha[largest]) {
			largest = i
		}
	}
	if len(points) == 0 {
		return 0, nil
	}
	sample := every(points, min(noiseSample, len(points)))
	if !slices.Contains(sample, largest) {
		sample = append(sample, largest)
	}
	share := float64(len(points)) / float64(len(sample))
	b, k, sums, cost := make([]float64, len(s.V)), make([]float64, len(s.V)), make([]float64, len(s.V)), 0.0
	costs := make([]float64, len(sample))
	times, most := make([]float64, len(s.V)), 1.0
	for m := range times {
		times[m] = 1
	}
	for m, x := range magnified(c) {
		times[m], most = x, max(most, x)
	}
	for j, i := range sample {
		if err := s.grad.Directions(ctx, []int{i}, []float64{1}, b, k); err != nil {
			return 0, err
		}
		low, high := s.loss.Box(i)
		costs[j] = max(high, -low)
		if math.IsInf(costs[j], 1) {
			costs[j] = math.Abs(s.alpha[i])
		}
		for m, x := range k {
			x *= times[m]
			sums[m] += share * s.alpha[i] * s.alpha[i] * math.Abs(x)
			cost += share * costs[j] * costs[j] * s.theta[m] * math.Abs(x)
		}
	}
	all, off := 0.0, slices.Clone(s.V)
	for m, t := range s.theta {
		all += t * sums[m]
		off[m] = max(off[m], 0) + unit*sums[m]
	}
	energy := unit * all / 2
	// Where small V_m have no large weights, the largest may be the V_m of a kernel without any.
	if !s.delicate() {
		before, after := s.norm.Dual(s.V), s.norm.Dual(off)
		energy = max(energy, (after*after-before*before)/2)
	}
	loss := unit * math.Sqrt(all*cost)
	// The second estimate is of values that are off by some units of themselves.
	if loss+energy <= enough || most > valueUnits {
		return loss + energy, nil
	}
	sizes := make([]float64, len(s.alpha))
	for i, a := range s.alpha {
		sizes[i] = math.Abs(a)
	}
	f, err := c.Afresh(ctx, sample, sizes, s.theta)
	if err != nil {
		return 0, err
	}
	least := 0.0
	for j, x := range f {
		least += valueUnits * unit * share * costs[j] * math.Abs(x)
	}
	return min(loss, least) + energy, nil
}
