package verify

import "math"

// neumaier is a compensated sum: the rounding errors of s are gathered in c.
type neumaier struct{ s, c float64 }

func (n *neumaier) add(x float64) {
	t := n.s + x
	if math.Abs(n.s) >= math.Abs(x) {
		n.c += (n.s - t) + x
	} else {
		n.c += (x - t) + n.s
	}
	n.s = t
}

func (n *neumaier) addSum(o neumaier) {
	n.add(o.s)
	n.add(o.c)
}

// value is the sum; one that has left the finite numbers has no meaningful compensation.
func (n *neumaier) value() float64 {
	if !finite(n.s) {
		return n.s
	}
	return n.s + n.c
}

// conjugate gives p* with 1/p + 1/p* = 1.
func conjugate(p float64) float64 {
	switch {
	case p == 1:
		return math.Inf(1)
	case math.IsInf(p, 1):
		return 1
	}
	return p / (p - 1)
}

// norm is the p-norm of non-negative numbers, scaled by the largest so that no power overflows.
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
