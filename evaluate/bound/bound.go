// Package bound gives the factors of the thesis's generalisation bounds that depend on the block norm p, from the norms
// ||w_m|| of a hypothesis: where such a factor is least, the theory expects p to do best.
//
// The bounds hold for classes that contain the best hypothesis there is. Since nobody knows it, that of a good model stands
// in for it, or the medians of several; the estimate comes closer as n grows, and for small n it is known to lie too high.
//
// Everything is a function of its arguments. Both factors are convex as functions of 1/p in logarithms, which Least uses.
//
// References. Kloft (2011), section 5.1.1 (the global factor) and section 4.4 with equation 4.22 (the local one).
package bound

import (
	"math"
	"slices"
)

// Norm is the block norm ||w||_{2,p} for p in [1, +Inf]; w: the norm of each block.
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

// Global is the factor of the bound by global Rademacher complexities,
//
//	min over t >= p of sqrt(t*) M^(1/t*) ||w||_{2,p},  t* = t/(t-1),
//
// for p in [1, +Inf]. The minimum is at t* = 2 log M, or as near to it as p lets t* come.
func Global(w []float64, p float64) float64 {
	m := float64(len(w))
	t := max(1, min(conjugate(p), 2*math.Log(m)))
	return math.Sqrt(t) * math.Pow(m, 1/t) * Norm(w, p)
}

// Local is the factor of the excess risk bound by local Rademacher complexities, for p in [1, 2] and kernels whose eigenvalues
// fall like j^-alpha, alpha > 1:
//
//	min over t in [p, 2] of (t* ||w||_{2,p})^(2/(1+alpha)) M^(1 + 2/(1+alpha) (1/t* - 1)).
//
// The minimum is at t* = log M, or as near to it as t* in [2, p*] comes.
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

// Range is where a factor is least, from one p to another: it may be flat there.
type Range struct{ Low, High, Value float64 }

const (
	flat   = 1e-9 // relative height that counts as none
	narrow = 1e-3 // width in 1/p of a minimum that is a point: its bottom is round
)

// Least finds the minimum of a factor over p from 1 to most, which may be +Inf.
func Least(factor func(p float64) float64, most float64) Range {
	f := func(u float64) float64 { return factor(1 / u) } // u = 0: +Inf
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
