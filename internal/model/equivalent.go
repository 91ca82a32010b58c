package model

import (
	"math"
	"slices"
)

// EquivalentC returns the C with which the block norm alone, with weights of norm 1, has the same
// solution as a model with Regularizer.SquaredNorm. It is C times the norm of theta in the
// objective. For other models it is their C. The argument importance holds the importance of each
// kernel; nil means 1.
func EquivalentC(m *Model, importance []float64) float64 {
	if m.SquaredNorm == 0 {
		return m.C
	}
	top, power := 0.0, m.Norm/(2-m.Norm)
	if math.IsInf(m.Norm, 1) {
		power = -1
	}
	theta := slices.Clone(m.Theta)
	for k, e := range importance {
		theta[k] /= e
	}
	top = slices.Max(theta)
	if m.Norm == 2 || top == 0 {
		return m.C * top
	}
	sum := 0.0
	for _, t := range theta {
		if t > 0 {
			sum += math.Pow(t/top, power)
		}
	}
	return m.C * top * math.Pow(sum, 1/power)
}
