package verify

import (
	"math"
	"slices"

	"bigmkl/internal/model"
)

// The tasks differ in the loss of a row and in the linear part of the dual value. With the
// decision value f, which includes the bias b, and the bound c of the row's dual variable alpha,
//
//	task       loss                         linear part                       alpha
//	class      c max(0, 1 - y f)            |alpha|                           0 <= y alpha <= c
//	  soft     c max(0, |y| - sign(y) f)    y alpha                           0 <= sign(y) alpha <= c
//	logistic   c log(1 + exp(-y f))         c times the entropy of            0 <= y alpha <= c
//	                                        alpha / c
//	svr        c max(0, |y - f| - eps)      y alpha - eps |alpha|             |alpha| <= c
//	 squared   c/2 max(0, 1 - y f)^2        |alpha| - alpha^2 / (2 c)         0 <= y alpha
//	square     c/2 (y - f)^2                y alpha - alpha^2 / (2 c)         any
//	quantile   c tau max(0, y - f - eps)    y alpha - eps |alpha|             -(1 - tau) c <= alpha
//	           + c (1 - tau) max(0, f - y - eps)                                alpha <= tau c
//	huber      c (y - f)^2 / 2 up to delta, y alpha - alpha^2 / (2 c)         |alpha| <= c delta
//	           c delta (|y - f| - delta / 2) beyond
//	expectile  c tau (y - f)^2 / 2 above f, y alpha - alpha^2 / (2 c tau)    any
//	           c (1 - tau) (y - f)^2 / 2     for alpha > 0,
//	           below it                      - alpha^2 / (2 c (1 - tau)) below
//	survival   as quantile of 2 c, with     see times.go                      as quantile of 2 c
//	           log t for y, or two ends
//	cox        see hazards.go               see hazards.go                alpha <= c, with an event
//	 censored                                                             alpha <= 0
//	rkda       as square, with y of discriminant.go, for each class; see judge.go for a lambda that
//	           was found
//	oneclass   c max(0, -f)                 0                                 0 <= alpha <= c
//	med        see mixture.go
//
// A row of task class whose posterior is p has the soft label y = 2p - 1 and, from the cost c of a
// certain row, the bound c/|y|. The row is left out, with a bound of 0, if p is within 0.001 of
// 1/2.
//
// The sum of alpha is 0, but 1 for oneclass, whose bias is -rho, whose c is 1/(nu n) times the weight
// of the row and whose primal value has the term -rho = b besides.

// lossOf returns the loss of a row at the decision value f.
func lossOf(m *model.Model, p *role, f float64) float64 {
	y, c := p.y, p.cost
	switch m.Task {
	case model.TaskLogistic:
		return c * logOnePlusExp(-y*f)
	case model.TaskSVR:
		return c * max(0, math.Abs(y-f)-m.Epsilon)
	case model.TaskSquare, model.TaskRKDA:
		return c / 2 * (y - f) * (y - f)
	case model.TaskSurvival:
		return timeLoss(m, p, f)
	case model.TaskQuantile:
		return c*m.Tau*max(0, y-f-m.Epsilon) + c*(1-m.Tau)*max(0, f-y-m.Epsilon)
	case model.TaskExpectile:
		return c * sideOf(m, y-f) / 2 * (y - f) * (y - f)
	case model.TaskHuber:
		if r := math.Abs(y - f); r > m.Delta {
			return c * m.Delta * (r - m.Delta/2)
		}
		return c / 2 * (y - f) * (y - f)
	case model.TaskOneClass:
		return c * max(0, -f)
	case model.TaskCox:
		return 0 // The loss is not a sum over rows.
	}
	if m.Loss == model.LossSquaredHinge {
		d := max(0, 1-y*f)
		return c / 2 * d * d
	}
	if c == 0 {
		return 0
	}
	return c * max(0, math.Abs(y)-math.Copysign(1, y)*f)
}

// linOf returns the linear part of the dual value that the dual variable a adds.
func linOf(m *model.Model, p *role, a float64) float64 {
	y, c := p.y, p.cost
	switch m.Task {
	case model.TaskLogistic:
		return c * entropy(math.Abs(a), c)
	case model.TaskSVR, model.TaskQuantile:
		return y*a - m.Epsilon*math.Abs(a)
	case model.TaskSurvival:
		return timeLinear(m, p, a)
	case model.TaskSquare, model.TaskRKDA, model.TaskHuber:
		return y*a - quadratic(m, a, c)
	case model.TaskExpectile:
		return y*a - quadratic(m, a, c*sideOf(m, a))
	case model.TaskOneClass, model.TaskCox:
		return 0
	}
	if m.Loss == model.LossSquaredHinge {
		return math.Abs(a) - quadratic(m, a, c)
	}
	return math.Abs(y) * math.Abs(a)
}

// boundOf returns the largest magnitude of a dual variable with the sign of a, infinite where there is none.
func boundOf(m *model.Model, p *role, a float64) float64 {
	c := p.cost
	switch {
	case m.Task == model.TaskCox && a < 0:
		return math.Inf(1)
	case m.Task == model.TaskCox && p.y < 0:
		return 0
	case m.Task == model.TaskSurvival:
		return timeBound(m, p, a)
	case m.Task == model.TaskSquare, m.Task == model.TaskRKDA, m.Task == model.TaskExpectile, m.Loss == model.LossSquaredHinge:
		return math.Inf(1)
	case m.Task == model.TaskQuantile && a > 0:
		return m.Tau * c
	case m.Task == model.TaskQuantile:
		return (1 - m.Tau) * c
	case m.Task == model.TaskHuber:
		return m.Delta * c
	}
	return c
}

// logOnePlusExp returns log(1 + exp(x)), without overflow.
func logOnePlusExp(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

// entropy returns -s log s - (1 - s) log(1 - s) of s = a/c, which is 0 at both ends.
func entropy(a, c float64) float64 {
	if !(a > 0 && a < c) {
		return 0
	}
	return (a*math.Log(c/a) + (c-a)*math.Log(c/(c-a))) / c
}

// sideOf returns the share of the cost of task expectile for a target above the function, where x is above 0, or below it. x is
// the distance, or the dual variable.
func sideOf(m *model.Model, x float64) float64 {
	if x > 0 {
		return m.Tau
	}
	return 1 - m.Tau
}

// quadratic returns a^2/(2c). It is 0 if the cost of the loss was found: the weight 1/C then
// belongs to one more kernel, the identity, whose V is the sum of a^2/c and lies beside the V of
// the others.
func quadratic(m *model.Model, a, c float64) float64 {
	if m.CostWeight != nil {
		return 0
	}
	return a * a / (2 * c)
}

// alphaSum returns what the dual variables of a model have to sum to: the bias is free, and this
// is the condition for its best value.
func alphaSum(m *model.Model) float64 {
	if m.Task == model.TaskOneClass {
		return 1
	}
	return 0
}

// primalOffset returns the part of the primal value that is neither norm nor loss.
func primalOffset(m *model.Model) float64 {
	if m.Task == model.TaskOneClass {
		return m.Bias
	}
	return 0
}

// costOf returns the bound c of a row of a model of one classifier, without the weight of the row.
func costOf(m *model.Model, y float64) float64 {
	switch {
	case m.Task == model.TaskOneClass:
		return 1 / (m.Nu * float64(m.Points))
	case m.HasClasses() && y > 0:
		return m.C * m.PositiveWeight
	case m.HasClasses():
		return m.C * m.NegativeWeight
	}
	return m.C
}

// nearHalf is the distance of a posterior from 1/2 below which its row is left out.
const nearHalf = 0.001

// soften returns the soft label and the bound of a row whose posterior is p, from the bound c of a
// certain row of the class that is likelier by p.
func soften(m *model.Model, p float64) (y, c float64) {
	y = 2*p - 1
	if math.Abs(y) < 2*nearHalf {
		return 0, 0
	}
	return y, costOf(m, y) / math.Abs(y)
}

// costOfClass returns the bound c of the dual variables of a class, without the weight of a row.
func costOfClass(m *model.Model, class int32) float64 {
	if m.ClassWeights == nil {
		return m.C
	}
	return m.C * m.ClassWeights[class]
}

// signed reports whether a dual variable has the sign of its label.
func signed(m *model.Model) bool {
	return model.ByMargin(m.Task) || model.DescribesSupport(m.Task)
}

// hasPosteriors reports whether rows of the task may have posteriors of their classes, and the model sigmoids of folds.
func hasPosteriors(m *model.Model) bool { return model.TakesPosteriors(m.Task) }

// uncentred reports whether constants of kernels count in the task: training then centres no linear kernel.
func uncentred(m *model.Model) bool { return slices.Contains(model.Uncentred, m.Task) }
