package verify

import "math"

// norm returns the p-norm (sum_k v_k^p)^(1/p) of numbers that are not negative. The numbers are
// divided by the largest before they are raised to p, so that no power overflows. A NaN in v is
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
