package verify

import (
	"bigmkl/internal/float"
	"math"
	"slices"
)

// This file checks the weights theta of a classifier against its norm. The norm fixes their scale:
// the model alone shows a violation.

// checkTheta checks that every weight is a number that is not negative, and that together they
// are what the norm asks for. If all weights are 0 there is nothing to ask: the decision function
// is constant.
func (r *regularizer) checkTheta(f *faults) {
	m, zeros := r.m, 0
	for k, t := range m.Theta {
		if !float.Finite(t) || t < 0 {
			f.add("theta", "theta[%d] is %v", k, t)
			return
		}
		if t == 0 {
			zeros++
		}
	}
	if m.CostWeight != nil && !r.shared {
		// The weight of the identity, which represents the loss, is one of the sum.
		r.checkBlockNorm(append(slices.Clone(m.Theta), *m.CostWeight), f)
		return
	}
	if zeros == len(m.Theta) {
		return
	}
	// With importances the norm is the norm of theta_m / e_m.
	theta := r.scaled(m.Theta, -1)
	switch {
	case m.Weights != nil:
		for k, t := range m.Theta {
			if t != 0 && t != m.Weights[k] {
				f.add("norm", "theta[%d] is %v, its fixed weight %v", k, t, m.Weights[k])
			}
		}
	case m.ElasticNet > 0:
		r.checkElasticNet(theta, f)
	case m.Interaction != nil:
		for k, t := range theta {
			if least := m.Interaction[k*len(theta)+k]; t != 0 && t < least*(1-exact) {
				f.add("norm", "theta[%d] is %v, below the entry %v of the matrix", k, t, least)
			}
		}
	case m.SquaredNorm > 0: // see checkLength
	case r.groups != nil:
		r.checkGroups(theta, f)
	default:
		r.checkBlockNorm(theta, f)
	}
}

// checkBlockNorm checks that sum_m theta_m^(p/(2-p)) = 1, or that all theta_m = 1 for p = 2.
//
// A kernel with ||w_m|| = 0 reports weight 0. For p > 2, where the exponent is negative, its part
// of the sum is missing for that reason; it is the smallest of all parts. Training smooths
// weights for p > 2 in a way that keeps the sum.
func (r *regularizer) checkBlockNorm(theta []float64, f *faults) {
	p := r.m.Norm
	if p == 2 {
		for k, t := range theta {
			if t != 0 && math.Abs(t-1) > exact || r.importance == nil && t != 0 && t != 1 {
				f.add("norm", "theta[%d] is %v, for p = 2 all are 1", k, t)
			}
		}
		return
	}
	power := weightPower(p)
	var sum neumaier
	least, zeros := math.Inf(1), 0
	for _, t := range theta {
		if t == 0 {
			zeros++
			continue
		}
		part := math.Pow(t, power)
		sum.add(part)
		least = min(least, part)
	}
	// Each missing part is at most the least of those that are there.
	missing := 0.0
	if p > 2 {
		missing = float64(zeros) * least
	}
	slack := exact * max(1, math.Abs(power))
	if s := sum.value(); !(s <= 1+slack && s >= 1-slack-missing) {
		f.add("norm", "sum theta^%.6g is %.9g, not 1", power, s)
	}
}

// weightPower returns the exponent p/(2-p) of the norm of theta, and its limit -1 for p = inf.
func weightPower(p float64) float64 {
	if math.IsInf(p, 1) {
		return -1
	}
	return p / (2 - p)
}

// checkGroups checks the weights of groups: s_j is the norm of the weights of group j in the
// exponent q/(2-q), and the norm of s in the exponent p/(2-p) has to be 1.
func (r *regularizer) checkGroups(theta []float64, f *faults) {
	p, q := r.m.Norm, float64(r.m.GroupNorm)
	// The least and the largest value that weights reported as 0 leave open.
	length := func(without bool) float64 {
		inner := func(part []float64) float64 { return weightNorm(part, q, without) }
		return weightNorm(r.groupNorms(theta, inner), p, without)
	}
	low, high := length(false), length(true)
	// The exponents multiply the relative error of a weight.
	slack := exact
	for _, x := range []float64{p, q} {
		if x != 2 {
			slack *= max(1, math.Abs(1/weightPower(x)))
		}
	}
	if !(low <= 1+slack && high >= 1-slack) {
		f.add("norm", "the weights of the groups have a norm of %.9g, not 1", low)
	}
}

// weightNorm returns the norm of the weights x in the exponent p/(2-p), and for p = 2 the
// largest.
//
// A weight of 0 may belong to a kernel left out, or for p > 2 to a kernel with ||w_m|| = 0, whose
// true weight is at least as large as all others. The norm then lies between two values. If
// without is true, the result is the norm without these weights; otherwise each counts as one of
// the largest.
func weightNorm(x []float64, p float64, without bool) float64 {
	top, zeros := 0.0, 0
	for _, t := range x {
		top = max(top, t)
		if t == 0 {
			zeros++
		}
	}
	if p == 2 || top == 0 {
		return top
	}
	power := weightPower(p)
	var sum neumaier
	for _, t := range x {
		if t > 0 {
			sum.add(math.Pow(t/top, power))
		}
	}
	if !without && p > 2 {
		sum.add(float64(zeros))
	}
	return top * math.Pow(sum.value(), 1/power)
}

// checkElasticNet checks that the shares b_m = ||w_m|| / sum ||w||, which are theta_m (1-l) / (1
// - l theta_m), sum to 1. Where l theta_m is close to 1, the rounding of theta_m is divided by
// what is left of 1, so the slack grows with it.
func (r *regularizer) checkElasticNet(theta []float64, f *faults) {
	l := r.m.ElasticNet
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

// thetaNorm returns what the norm of theta has to be where its square is in the objective:
// ||v||_p*^2 / (2 lambda).
func (r *regularizer) thetaNorm(v []float64) float64 {
	n := norm(r.scaled(v, 0.5), conjugate(r.m.Norm))
	return n * n / (2 * r.m.SquaredNorm)
}

// checkThetaNorm checks the norm of theta where its square is in the objective; found is the span
// that the data give for it. Smoothed weights have been brought to that norm too.
func (r *regularizer) checkThetaNorm(found span, f *faults) {
	m := r.m
	theta := r.scaled(m.Theta, -1)
	if m.SquaredNorm == 0 || slices.Max(theta) == 0 {
		return
	}
	const slack = conceded
	short, long := weightNorm(theta, m.Norm, false), weightNorm(theta, m.Norm, true)
	if !(short <= found.high*(1+slack) && long >= found.low*(1-slack)) {
		f.add("norm", "theta has a norm of %.9g, these data give %.9g",
			short, (found.low+found.high)/2)
	}
}
