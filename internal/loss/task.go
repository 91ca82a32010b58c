package loss

import (
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/model"
)

// Problem holds what the losses of all tasks are made of. Slices have an element for each row, are
// kept, and must not change.
type Problem struct {
	// Rows is the number of rows.
	Rows int
	// Labels are +1 or -1. They are nil for tasks without classes.
	Labels []int8
	// Soft holds a soft label in [-1, 1] for each row, in the place of Labels. If it is nil, the
	// labels are certain.
	Soft []float64
	// Targets are Row.Target of the rows, the targets of regression or times, and nil for other tasks. Uppers are Row.Upper of
	// times, and nil if all are 0.
	Targets, Uppers []float64
	// Weights multiply the cost of each row. If they are nil, all are 1.
	Weights []float64
	// Cost is C of regression, and ClassCosts are the costs of the negative and of the positive
	// class.
	Cost       float64
	ClassCosts [2]float64
	model.LossSettings
}

// OfTask returns the loss of one of model.Tasks. With the decision value f = f(x_i), the cost C and
// the weight w_i of row i, it is the sum over the rows of
//
//	class     C w_i max(0, 1 - y_i f),  y_i = +1 or -1 and C that of the class; with a squared hinge
//	          C w_i max(0, 1 - y_i f)^2 / 2; with soft labels s_i
//	          C w_i / |s_i| max(0, |s_i| - sign(s_i) f)
//	logistic  C w_i log(1 + exp(-y_i f)),  y_i = +1 or -1 and C that of the class
//	svr       C w_i max(0, |f - y_i| - epsilon)
//	square    C w_i (f - y_i)^2 / 2
//	quantile  C w_i (tau max(0, y_i - f - epsilon) + (1 - tau) max(0, f - y_i - epsilon))
//	huber     C w_i (f - y_i)^2 / 2 up to |f - y_i| = delta, and C w_i delta (|f - y_i| - delta / 2) beyond
//	expectile C w_i (tau max(0, y_i - f)^2 + (1 - tau) max(0, f - y_i)^2) / 2
//	survival  2 C w_i (tau max(0, log l_i - f - epsilon) + (1 - tau) max(0, f - log u_i - epsilon)) of the bounds
//	          l_i <= t_i <= u_i of a time, without the term of a bound that is not known
//	cox       C times the partial likelihood's negative logarithm, see Cox
//	oneclass  w_i max(0, -f) / (nu n), of n rows
//
// Sums over rows are in the order of the rows, which is part of the bits of a model. An unknown
// task is taken for class.
func OfTask(task string, p *Problem) chunking.Loss {
	switch task {
	case model.TaskSVR:
		return NewInsensitive(p.Targets, p.Cost, p.Weights, p.Epsilon)
	case model.TaskSquare:
		return NewLeastSquares(p.Targets, p.Cost, p.Weights)
	case model.TaskQuantile:
		return NewQuantile(p.Targets, p.Cost, p.Weights, p.Epsilon, p.Tau)
	case model.TaskHuber:
		return NewHuber(p.Targets, p.Cost, p.Weights, p.Delta)
	case model.TaskExpectile:
		return NewExpectile(p.Targets, p.Cost, p.Weights, p.Tau)
	case model.TaskSurvival:
		return NewSurvival(p.Targets, p.Uppers, p.Cost, p.Weights, p.Epsilon, p.Tau)
	case model.TaskCox:
		return NewCox(p.Targets, p.Cost, p.Weights)
	case model.TaskOneClass:
		return NewOneClass(p.Rows, p.Nu, p.Weights)
	}
	if p.Soft != nil {
		return NewSoftHinge(p.Soft, p.ClassCosts, p.Weights)
	}
	return OfClasses(task, p.Loss, p.Labels, p.ClassCosts, p.Weights)
}

// TargetsOf returns what the functions of a task are compared with, of Row.Target and Row.Upper of the rows. uppers is nil if all are 0.
func TargetsOf(task string, targets, uppers []float64) []float64 {
	if model.Labeling(task) != dataset.Times {
		return targets
	}
	return LogTimes(targets, uppers)
}

// OfClasses returns the loss of a task of two classes for the arguments of NewHinge. name is one of model.Losses, for
// task class.
func OfClasses(task, name string, y []int8, cost [2]float64, weight []float64) TwoClass {
	switch {
	case task == model.TaskLogistic:
		return NewLogistic(y, cost, weight)
	case name == model.LossSquaredHinge:
		return NewSquaredHinge(y, cost, weight)
	}
	return NewHinge(y, cost, weight)
}
