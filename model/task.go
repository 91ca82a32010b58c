package model

import "bigmkl/dataset"

// The tasks: two classes, regression by the epsilon-insensitive and by the squared loss, and one class.
const (
	TaskClass    = "class"
	TaskSVR      = "svr"
	TaskSquare   = "square"
	TaskOneClass = "oneclass"
)

// Tasks lists them.
var Tasks = []string{TaskClass, TaskSVR, TaskSquare, TaskOneClass}

// Labeling is what labels are in the data of a task.
func Labeling(task string) dataset.Labeling {
	switch task {
	case TaskSVR, TaskSquare:
		return dataset.Targets
	case TaskOneClass:
		return dataset.Ignored
	}
	return dataset.Classes
}

// Labeling is what labels are in data for the model.
func (m *Model) Labeling() dataset.Labeling {
	if m.Multiclass == MultiLabel {
		return dataset.Sets
	}
	return Labeling(m.Task)
}

// HasClasses tells whether the model predicts classes.
func (m *Model) HasClasses() bool { return m.Task == TaskClass }
