package model

import "slices"

// LossSettings are the loss of TaskClass and the numbers of the losses of other tasks. In a model a number is 0 if
// the loss of its task does not have it.
type LossSettings struct {
	// Epsilon is the half-width of the tube of TubeTasks, in units of the targets.
	Epsilon float64 `json:"epsilon,omitzero"`
	// Tau is the quantile or the expectile of TauTasks.
	Tau float64 `json:"tau,omitzero"`
	// Delta is the distance from the target at which the loss of TaskHuber becomes a line, in units of the targets.
	Delta float64 `json:"delta,omitzero"`
	// Loss is one of Losses for TaskClass, where "" is the hinge, and "" for all other tasks. A model has "" for the
	// hinge.
	Loss string `json:"loss,omitzero"`
	// Nu is the share of the rows that TaskOneClass may leave out.
	Nu float64 `json:"nu,omitzero"`
}

// LossNumber is a row of the table of the numbers of LossSettings.
type LossNumber struct {
	// Name is the name of the flag, of the keys in files and in JSON, and of the fact of a checkpoint.
	Name string
	// Tasks lists the tasks whose losses have the number.
	Tasks []string
	// Of returns the place of the number.
	Of func(s *LossSettings) *float64
	// Allows reports whether a number is in the range, and Range describes the range.
	Allows func(x float64) bool
	Range  string
}

// NameTau is the name of the number for which a model can have a list, Model.Taus.
const NameTau = "tau"

// NameDelta is the name of the number of Huber's loss, which has no tube.
const NameDelta = "delta"

// LossNumbers lists the numbers. A new one is added here.
var LossNumbers = []LossNumber{
	{Name: "epsilon", Tasks: TubeTasks, Of: func(s *LossSettings) *float64 { return &s.Epsilon },
		Allows: atLeast0, Range: "a number >= 0"},
	{Name: NameTau, Tasks: TauTasks, Of: func(s *LossSettings) *float64 { return &s.Tau },
		Allows: func(x float64) bool { return x > 0 && x < 1 }, Range: "between 0 and 1"},
	{Name: NameDelta, Tasks: []string{TaskHuber}, Of: func(s *LossSettings) *float64 { return &s.Delta },
		Allows: above0, Range: "a positive number"},
	{Name: "nu", Tasks: []string{TaskOneClass}, Of: func(s *LossSettings) *float64 { return &s.Nu },
		Allows: func(x float64) bool { return x > 0 && x <= 1 }, Range: "above 0 and at most 1"},
}

// IsOf reports whether the loss of a task has the number.
func (n *LossNumber) IsOf(task string) bool { return slices.Contains(n.Tasks, task) }

// HasLossNumber reports whether the loss of a task has the number of a name.
func HasLossNumber(task, name string) bool {
	return slices.ContainsFunc(LossNumbers, func(n LossNumber) bool { return n.Name == name && n.IsOf(task) })
}

// OfTask returns the settings as a model of the task has them.
func (s LossSettings) OfTask(task string) LossSettings {
	for _, n := range LossNumbers {
		if !n.IsOf(task) {
			*n.Of(&s) = 0
		}
	}
	if s.Loss == LossHinge {
		s.Loss = ""
	}
	return s
}
