package verify

import (
	"math"

	"bigmkl/model"
)

// The tasks, for decision values f with their bias b and the bound c_i of a dual variable:
//
//	class      c max(0, 1 - y f)            lin = sum |alpha_i|                             0 <= y_i alpha_i <= c_i
//	svr        c max(0, |y - f| - eps)      lin = sum y_i alpha_i - eps sum |alpha_i|       |alpha_i| <= c_i
//	square     c/2 (y - f)^2                lin = sum y_i alpha_i - sum alpha_i^2 / (2 c_i)
//	oneclass   c max(0, -f), and b = -rho   lin = 0, sum alpha = 1                          0 <= alpha_i <= c_i = 1/(nu n)

// lossOf is the loss of a row.
func lossOf(m *model.Model, y, f, c float64) float64 {
	switch m.Task {
	case model.TaskSVR:
		return c * max(0, math.Abs(y-f)-m.Epsilon)
	case model.TaskSquare:
		return c / 2 * (y - f) * (y - f)
	case model.TaskOneClass:
		return c * max(0, -f)
	}
	return c * max(0, 1-y*f)
}

// linOf is what a dual variable adds to lin.
func linOf(m *model.Model, y, a, c float64) float64 {
	switch m.Task {
	case model.TaskSVR:
		return y*a - m.Epsilon*math.Abs(a)
	case model.TaskSquare:
		return y*a - a*a/(2*c)
	case model.TaskOneClass:
		return 0
	}
	return math.Abs(a)
}

// sumOf is what the dual variables sum to.
func alphaSum(m *model.Model) float64 {
	if m.Task == model.TaskOneClass {
		return 1
	}
	return 0
}

// besides is what the primal value has in it beside the norm and the losses of the rows.
func primalOffset(m *model.Model) float64 {
	if m.Task == model.TaskOneClass {
		return m.Bias
	}
	return 0
}

// costOf is c without the weight of a row.
func costOf(m *model.Model, y float64) float64 {
	switch {
	case m.Task == model.TaskOneClass:
		return 1 / (m.Nu * float64(m.Points))
	case m.Task == model.TaskClass && y > 0:
		return m.C * m.PositiveWeight
	case m.Task == model.TaskClass:
		return m.C * m.NegativeWeight
	}
	return m.C
}

// costOfClass is c of a row of a class, without its own weight.
func costOfClass(m *model.Model, class int32) float64 {
	if m.ClassWeights == nil {
		return m.C
	}
	return m.C * m.ClassWeights[class]
}
