package verify

import (
	"math"
	"slices"
)

// checkTheta: every weight is a number that is not negative, and together they are what the norm says.
func (r *regularizer) checkTheta(f *faults) {
	m, zeros := r.m, 0
	for k, t := range m.Theta {
		if !finite(t) || t < 0 {
			f.add("theta", "theta[%d] is %v", k, t)
			return
		}
		if t == 0 {
			zeros++
		}
	}
	if zeros == len(m.Theta) {
		return
	}
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

// checkBlock: sum theta_m^(p/(2-p)) = 1; for p = 2 each is 1. The weights of p above 2 are smoothed, which keeps the sum. A kernel
// without norm reports 0; above 2 its part of the sum is missing, which is the smallest of all.
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
	missing := 0.0
	if p > 2 {
		missing = float64(zeros) * least
	}
	slack := exact * max(1, math.Abs(power))
	if s := sum.value(); !(s <= 1+slack && s >= 1-slack-missing) {
		f.add("norm", "sum theta^%.6g is %.9g, not 1", power, s)
	}
}

// weightPower is the exponent p/(2-p) of the norm of theta.
func weightPower(p float64) float64 {
	if math.IsInf(p, 1) {
		return -1
	}
	return p / (2 - p)
}

// checkGroups: s_j is the norm of the weights of group j in the exponent q/(2-q), and that of s in p/(2-p) is 1.
func (r *regularizer) checkGroups(theta []float64, f *faults) {
	p, q := r.m.Norm, float64(r.m.GroupNorm)
	low := weightNorm(r.groupNorms(theta, func(part []float64) float64 { return weightNorm(part, q, false) }), p, false)
	high := weightNorm(r.groupNorms(theta, func(part []float64) float64 { return weightNorm(part, q, true) }), p, true)
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

// weightLength is the norm of weights in the exponent p/(2-p); for p = 2 it is the largest. Those of 0 have been left out of it, or,
// above 2, may be the weights of kernels without norm, which report 0: then they are above all others, and the norm lies between
// that without them and that with as many of the largest.
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

// checkNet: the shares b_m = ||w_m|| / sum ||w|| are theta (1 - l) / (1 - l theta) and sum to 1.
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

// length is what the norm of theta has to be where it is in the objective: ||v||^2 / (2 lambda).
func (r *regularizer) thetaNorm(v []float64) float64 {
	n := norm(r.scaled(v, 0.5), conjugate(r.m.Norm))
	return n * n / (2 * r.m.SquaredNorm)
}

// checkLength: smoothed weights have been brought to that norm, too.
func (r *regularizer) checkThetaNorm(found span, f *faults) {
	m := r.m
	theta := r.scaled(m.Theta, -1)
	if m.SquaredNorm == 0 || slices.Max(theta) == 0 {
		return
	}
	const slack = conceded
	short, long := weightNorm(theta, m.Norm, false), weightNorm(theta, m.Norm, true)
	if !(short <= found.high*(1+slack) && long >= found.low*(1-slack)) {
		f.add("norm", "theta has a norm of %.9g, these data give %.9g", short, (found.low+found.high)/2)
	}
}
