package verify

import (
	"bigmkl/internal/float"
	"math"
)

// norm returns the p-norm (sum_k v_k^p)^(1/p) of numbers that are not negative. The numbers are
// divided by the largest before they are raised to p, so no power overflows. A NaN in v is
// returned.
func norm(v []float64, p float64) float64 {
	largest := 0.0
	for _, x := range v {
		if math.IsNaN(x) {
			return x
		}
		largest = max(largest, x)
	}
	if largest == 0 || math.IsInf(largest, 1) || math.IsInf(p, 1) {
		return largest
	}
	var sum neumaier
	for _, x := range v {
		if x > 0 {
			sum.add(math.Pow(x/largest, p))
		}
	}
	return largest * math.Pow(sum.value(), 1/p)
}

// conjugate returns the exponent p* with 1/p + 1/p* = 1. The dual of the p-norm is the p*-norm.
func conjugate(p float64) float64 {
	switch {
	case p == 1:
		return math.Inf(1)
	case math.IsInf(p, 1):
		return 1
	}
	return p / (p - 1)
}

// neumaier is a compensated sum (Neumaier 1974): s is the running sum, c the sum of its rounding
// errors. Its result is as precise as the result of a sum in twice the precision, rounded once,
// as long as the terms do not cancel by more than 2^53.

// The value depends on the order of the terms in its last bits. Sums over rows are therefore
// added in the order of the rows, whichever goroutine computes them.
type neumaier struct{ s, c float64 }

// add adds x. The error of s + x is computed exactly from the smaller of the two in magnitude.
func (n *neumaier) add(x float64) {
	t := n.s + x
	if math.Abs(n.s) >= math.Abs(x) {
		n.c += (n.s - t) + x
	} else {
		n.c += (x - t) + n.s
	}
	n.s = t
}

// addSum adds another compensated sum, its error included.
func (n *neumaier) addSum(o neumaier) {
	n.add(o.s)
	n.add(o.c)
}

// value returns the sum. Once s is infinite or a NaN, the compensation is meaningless and s is
// returned as it is.
func (n *neumaier) value() float64 {
	if !float.Finite(n.s) {
		return n.s
	}
	return n.s + n.c
}
