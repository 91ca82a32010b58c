package verify

import "math"

var _ penalty = blockNorm{}

// blockNorm is the block norm p. equal is true if all kernels have the importance 1.
type blockNorm struct {
	p     float64
	equal bool
}

func (n blockNorm) primal(w []float64) float64 {
	length := norm(w, n.p)
	return length * length / 2
}

func (n blockNorm) conjugate(v []float64) float64 {
	length := norm(v, conjugate(n.p))
	return length * length / 2
}

// checkTheta checks that sum_m theta_m^(p/(2-p)) = 1, or that all theta_m = 1 for p = 2.
//
// A kernel with ||w_m|| = 0 reports weight 0. For p > 2, where the exponent is negative, its part
// of the sum is missing for that reason; it is the smallest of all parts. Training smooths
// weights for p > 2 in a way that keeps the sum.
func (n blockNorm) checkTheta(theta []float64, f *faults) {
	p := n.p
	if p == 2 {
		for k, t := range theta {
			if t != 0 && math.Abs(t-1) > exact || n.equal && t != 0 && t != 1 {
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
