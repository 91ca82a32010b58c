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

// How a model of several machines decides.
const (
	OneVsRest  = "ovr"    // a machine for each class against all others: the largest decision wins
	OneVsOne   = "ovo"    // a machine for each pair of classes: most votes win, the sum of the decisions where they tie
	MultiLabel = "labels" // a machine for each label against its absence: a row has those whose decision is above 0
)

// Multiclasses lists them.
var Multiclasses = []string{OneVsRest, OneVsOne, MultiLabel}

// Rest stands for all other classes.
const Rest = -1

// Pairs lists which classes the machines tell apart, in the order of the machines; Rest stands for all others.
func Pairs(multiclass string, classes int) [][2]int32 {
	var r [][2]int32
	for a := range int32(classes) {
		if multiclass != OneVsOne {
			r = append(r, [2]int32{a, Rest})
			continue
		}
		for b := a + 1; b < int32(classes); b++ {
			r = append(r, [2]int32{a, b})
		}
	}
	return r
}
