package norm

import (
	"math"
	"slices"

	"bigmkl/chunking"
)

// adapting is what norms have in common that change as a run goes on: the rung of the ladder that
// leads to an exponent of 1, the smoothing of V_m where weights are unbounded, and the kernels that
// turned out indefinite.
//
// An exponent of 1 makes the dual norm a maximum, whose weights jump from kernel to kernel. It is
// approached through p_s = 1 + 0.08/4^j, rung by rung. Where a weight grows without bound as V_m
// tends to 0 with w_m not 0, V_m + delta^2 takes the place of V_m, and delta shrinks step by step.
type adapting struct {
	one        bool    // some exponent is 1
	unbounded  bool    // some weight may be
	exponent   float64 // the least conjugate exponent, where both are so
	level      int
	smoothing  float64   // delta^2
	least      float64   // below which it does not go
	indefinite []bool    // kernels for which a negative V_m is more than rounding
	dropped    []bool    // those of them that are out
	peak       []float64 // largest |V_m| so far, of kernels that may be indefinite
}

// negative is the share of the largest |V_m| that an indefinite kernel has to be below zero by.
// Less is rounding.
const negative = 1e-4

const (
	firstRung   = 0.08
	rungFactor  = 4.0
	lastRung    = 14       // p_s - 1 = 3e-10
	firstDelta  = 1e-4     // delta^2 relative to the mean V_m
	deltaFactor = 1.0 / 64 // of delta^2 at each step
	deltaFine   = 1.0 / 8  // the same once the gap is near
	leastDelta  = 1e-14    // relative to the first mean V_m: below, V_m is rounding
)

// smooth gives the exponent in use for p: p itself or, for 1, that of the rung.
func (a *adapting) smooth(p float64) float64 {
	if p == 1 {
		return 1 + firstRung/math.Pow(rungFactor, float64(a.level))
	}
	return p
}

// Calibrate implements chunking.Adaptive. It sets the first delta from the mean V_m, and leaves out
// an indefinite kernel whose V_m has become negative: its weight would jump between 0 and a large
// value with the sign of V_m, without end. It reports whether one has been left out.
func (a *adapting) Calibrate(V []float64) bool {
	s, changed := 0.0, false
	for m, x := range V {
		s += max(x, 0)
		if !a.mayBeNegative(m) {
			continue
		}
		if a.dropped == nil {
			a.dropped, a.peak = make([]bool, len(V)), make([]float64, len(V))
		}
		a.peak[m] = max(a.peak[m], math.Abs(x))
		// V_m is compared with its own largest value so far: kernels may have very different
		// scales.
		if x < -negative*a.peak[m] && !a.dropped[m] {
			a.dropped[m], changed = true, true
		}
	}
	if a.unbounded && a.smoothing == 0 {
		// Delta is relative to the mean V_m of the first pass. Below the least one V_m itself is
		// rounding.
		a.smoothing = firstDelta * s / float64(len(V))
		a.least = leastDelta * s / float64(len(V))
	}
	return changed
}

// Dropped implements chunking.Excluder.
func (a *adapting) Dropped(m int) bool { return a.dropped != nil && a.dropped[m] }

// Excludes implements chunking.Excluder.
func (a *adapting) Excludes(m int, v float64) bool {
	return a.Dropped(m) || v < 0 && a.mayBeNegative(m)
}

// mayBeNegative reports whether a V_m below 0 can be more than rounding.
func (a *adapting) mayBeNegative(m int) bool { return a.indefinite != nil && a.indefinite[m] }

// Indefinite implements chunking.Excluder.
func (a *adapting) Indefinite() bool { return slices.Contains(a.indefinite, true) }

// squares puts u_m^2 = V_m + smoothing in u, and -1 for a kernel that is out. It returns false at V =
// 0.
func (a *adapting) squares(u, V []float64, smoothing float64) bool {
	some := false
	for m, x := range V {
		if !a.Dropped(m) && !(x <= 0) { // NaN is to stay one
			some = true
		}
		u[m] = max(x, 0) + smoothing
		if a.Excludes(m, x) {
			u[m] = -1
		}
	}
	return some
}

// even puts u_m^2 = 1 in the place of V = 0. The weights that all kernels would have for the same
// V_m are where a run starts.
func (a *adapting) even(u []float64) {
	for m := range u {
		u[m] = 1
		if a.Dropped(m) {
			u[m] = -1
		}
	}
}

// Sharpen implements chunking.Adaptive. It takes the next step of the ladder, of exponents and
// delta both where there are two: the one that smooths much less waits for the other, as a step of
// it alone would change nothing.
func (a *adapting) Sharpen(near bool) bool {
	factor := deltaFactor
	if near {
		factor = deltaFine
	}
	rung, delta := a.one && a.level < lastRung, a.unbounded && a.smoothing*factor > a.least
	if rung && delta {
		// Both errors of ||v||^2 are relative and rough: the rung's is p_s - 1, and a kernel of V_m
		// = 0 adds delta^q.
		const much = 4
		byRung, byDelta := a.smooth(1)-1, math.Pow(a.smoothing/a.least*leastDelta, a.exponent/2)
		rung, delta = byRung*much > byDelta, byDelta*much > byRung
	}
	if rung {
		a.level++
	}
	if delta {
		a.smoothing *= factor
	}
	return rung || delta
}

// Delicate implements chunking.Delicate. Where weights are unbounded, those of small V_m are the
// largest, and rounding of V_m to single precision shows in ||w||.
func (a *adapting) Delicate() bool { return a.unbounded }

// Snapshot implements chunking.Adaptive.
func (a *adapting) Snapshot() chunking.NormState {
	return chunking.NormState{Level: a.level, Smoothing: a.smoothing, Least: a.least, Dropped: a.dropped, Peak: a.peak}
}

// Resume implements chunking.Adaptive. A state with another number of kernels, or off the ladder,
// is rejected.
func (a *adapting) Resume(s chunking.NormState) bool {
	if s.Level < 0 || s.Level > lastRung || !(s.Smoothing >= 0) || !(s.Least >= 0) || len(s.Dropped) != len(s.Peak) ||
		s.Dropped != nil && len(s.Dropped) != len(a.indefinite) {
		return false
	}
	a.level, a.smoothing, a.least = s.Level, s.Smoothing, s.Least
	a.dropped, a.peak = slices.Clone(s.Dropped), slices.Clone(s.Peak)
	return true
}

// lengths gives ||v_m|| of the kernels that have not been dropped, without any smoothing.
func (a *adapting) lengths(V []float64) []float64 {
	v := make([]float64, len(V))
	for m, x := range V {
		if !a.Dropped(m) {
			v[m] = math.Sqrt(max(x, 0))
		}
	}
	return v
}
