package verify

import (
	"math"
	"slices"
)

var _ penalty = elasticNet(0)

// elasticNet is the elastic net of the ||w_m||, with l in 1/2 (1-l) (sum ||w_m||)^2 + l/2 sum ||w_m||^2.
type elasticNet float64

func (n elasticNet) primal(w []float64) float64 {
	l, one, two := float64(n), norm(w, 1), norm(w, 2)
	return ((1-l)*one*one + l*two*two) / 2
}

// conjugate returns the maximum over s >= 0 of s'v - 1/2 (1-l) (sum s)^2 - l/2 |s|^2,
// for 0 < l <= 1. It is attained with the k largest of v, for the last k that has s_k >= 0. There
//
//	s_j = (v_j - mean)/l + mean/(l + k(1-l))
//	max = 1/2 (sum (v_j - mean)^2/l + k mean^2/(l + k(1-l)))
//
// with the mean of those k. Mean and squares are updated by Welford's recurrence. A NaN in v is
// returned.
func (n elasticNet) conjugate(v []float64) float64 {
	l := float64(n)
	sorted := slices.Clone(v)
	slices.SortFunc(sorted, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	best := 0.0
	mean, spread := 0.0, 0.0 // of the k largest: their mean, and the sum of squared deviations
	for i, x := range sorted {
		if math.IsNaN(x) {
			return x
		}
		k := float64(i + 1)
		step := x - mean
		mean += step / k
		spread += step * (x - mean)
		// s_k would be negative, and the s of all smaller v too: the k before were the last.
		if (x-mean)/l+mean/(l+k*(1-l)) < 0 {
			break
		}
		best = (spread/l + k*mean*mean/(l+k*(1-l))) / 2
	}
	return best
}

// checkTheta checks that the shares b_m = ||w_m|| / sum ||w||, which are theta_m (1-l) / (1
// - l theta_m), sum to 1. Where l theta_m is close to 1, the rounding of theta_m is divided by
// what is left of 1, so the slack grows with it.
func (n elasticNet) checkTheta(theta []float64, f *faults) {
	l := float64(n)
	var sum neumaier
	slack := exact
	for k, t := range theta {
		left := 1 - l*t
		if left <= 0 {
			f.add("norm", "theta[%d] is %v, not below %v", k, t, 1/l)
			return
		}
		share := t * (1 - l) / left
		sum.add(share)
		slack += share * inDouble * roundings / left
	}
	if s := sum.value(); !(math.Abs(s-1) <= slack) {
		f.add("norm", "the shares of the elastic net sum to %.9g, not 1", s)
	}
}
