package gradienttest

import (
	"math"
	"testing"
)

// rounding bounds what a gradient may differ from the definitions by: a share of what each sum would be if all of its
// terms had one sign.
type rounding struct {
	*testing.T
	tolerance float64
	theta     []float64
	size      []float64 // the largest |K_m| entry of each kernel
	moved     float64   // sum of all |delta| so far, which bounds the terms of every g_m
}

// compare complains where two vectors differ by more than rounding of terms as large as scale.
func (r *rounding) compare(what string, got, want []float64, scale func(i int) float64) {
	r.Helper()
	for i := range want {
		if bound := r.tolerance * scale(i); !(math.Abs(got[i]-want[i]) <= bound) {
			r.Fatalf("%s: number %d is %.9g, by definition %.9g: off by %.3g, at most %.3g", what, i, got[i], want[i], math.Abs(got[i]-want[i]), bound)
		}
	}
}

// combinedScale bounds the terms of sum_m theta_m g_m at a point.
func (r *rounding) combinedScale(int) float64 {
	s := 0.0
	for m, t := range r.theta {
		s += t * r.size[m] * r.moved
	}
	return s
}

// energyScale bounds the terms of V_m.
func (r *rounding) energyScale(m int) float64 { return r.size[m] * r.moved * r.moved }

// compareVectors compares combined and V with their definitions.
func (r *rounding) compareVectors(combined, v, wantCombined, wantV []float64) {
	r.Helper()
	r.compare("combined", combined, wantCombined, r.combinedScale)
	r.compare("V", v, wantV, r.energyScale)
}
