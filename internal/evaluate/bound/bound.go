// Package bound computes the factors of the thesis's generalisation bounds that depend on the block
// norm p, from the norms ||w_m|| of a hypothesis. The theory expects the p with the least factor to
// do best.
//
// The bounds hold for classes that contain the best hypothesis. Nobody knows it, so a good model
// takes its place, or the medians of several. The estimate improves as n grows, and for small n it
// is known to be too high.
//
// All functions depend on their arguments alone. Both factors are convex functions of 1/p after
// taking logarithms, which Least uses.
//
// References. Kloft (2011), section 5.1.1 for the global factor, and section 4.4 with equation 4.22
// for the local one.
package bound

import (
	"math"
	"slices"
)

// Norm returns the block norm ||w||_{2,p} for p in [1, +Inf], where w holds the norm of each block.
func Norm(w []float64, p float64) float64 {
	most := slices.Max(w)
	if most == 0 || math.IsInf(p, 1) {
		return most
	}
	s := 0.0
	for _, x := range w {
		s += math.Pow(x/most, p)
	}
	return most * math.Pow(s, 1/p)
}

// Global returns the factor of the bound by global Rademacher complexities,
//
//	min over t >= p of sqrt(t*) M^(1/t*) ||w||_{2,p},  t* = t/(t-1),
//
// for p in [1, +Inf] and M blocks. The minimum is at t* = 2 log M, or at the t* nearest to it that
// p allows.
func Global(w []float64, p float64) float64 {
	m := float64(len(w))
	t := max(1, min(conjugate(p), 2*math.Log(m)))
	return math.Sqrt(t) * math.Pow(m, 1/t) * Norm(w, p)
}

// Local returns the factor of the excess risk bound by local Rademacher complexities, for p in [1,
// 2] and kernels whose eigenvalues fall like j^-alpha, alpha > 1:
//
//	min over t in [p, 2] of (t* ||w||_{2,p})^(2/(1+alpha)) M^(1 + 2/(1+alpha) (1/t* - 1)).
//
// The minimum is at t* = log M, or at the t* in [2, p*] nearest to it.
func Local(w []float64, p, alpha float64) float64 {
	m, a := float64(len(w)), 2/(1+alpha)
	t := max(2, min(conjugate(p), math.Log(m)))
	return math.Pow(t*Norm(w, p), a) * math.Pow(m, 1+a*(1/t-1))
}

func conjugate(p float64) float64 {
	if math.IsInf(p, 1) {
		return 1
	}
	return p / (p - 1)
}

// Range is the interval of p over which a factor is least, and the least value. The factor may be
// flat there.
type Range struct{ Low, High, Value float64 }

const (
	// flat is the relative height below which the factor counts as flat.
	flat = 1e-9
	// narrow is the width in 1/p below which a minimum counts as a point, because its bottom is
	// round.
	narrow = 1e-3
)

// Least returns the minimum of a factor over p from 1 to most, which may be +Inf.
func Least(factor func(p float64) float64, most float64) Range {
	f := func(u float64) float64 { return factor(1 / u) } // p = 1/u is +Inf for u = 0.
	from, to := 1/most, 1.0
	for range 200 {
		a, b := from+(to-from)/3, to-(to-from)/3
		if f(a) <= f(b) {
			to = b
		} else {
			from = a
		}
	}
	at := (from + to) / 2
	for _, end := range []float64{1, 1 / most} {
		if f(end) < f(at) {
			at = end
		}
	}
	r := Range{Value: f(at)}
	edge := func(end float64) float64 {
		if inside := at; f(end) > r.Value*(1+flat) {
			for range 100 {
				if mid := (inside + end) / 2; f(mid) > r.Value*(1+flat) {
					end = mid
				} else {
					inside = mid
				}
			}
			return inside
		}
		return end
	}
	least, last := edge(1/most), edge(1)
	if last-least < narrow {
		least, last = at, at
	}
	r.Low, r.High = 1/last, 1/least
	return r
}
