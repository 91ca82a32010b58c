package model

import "bigmkl/dataset"

// These are the tasks: two classes, regression by the epsilon-insensitive loss, regression by the
// squared loss, and the support of one class.
const (
	TaskClass    = "class"
	TaskSVR      = "svr"
	TaskSquare   = "square"
	TaskOneClass = "oneclass"
)

// Tasks lists the tasks.
var Tasks = []string{TaskClass, TaskSVR, TaskSquare, TaskOneClass}

// Labeling returns what labels mean in the data of a task.
func Labeling(task string) dataset.Labeling {
	switch task {
	case TaskSVR, TaskSquare:
		return dataset.Targets
	case TaskOneClass:
		return dataset.Ignored
	}
	return dataset.Classes
}

// These are the ways in which a model of several machines decides.
const (
	// Each class has a machine against all others, and the largest decision value wins.
	OneVsRest = "ovr"
	// Each pair of classes has a machine. Most votes win, and the sum of decision values breaks
	// ties.
	OneVsOne = "ovo"
	// Each label has a machine against its absence, and a row has the labels with decision values
	// above 0.
	MultiLabel = "labels"
)

// Multiclasses lists these ways.
var Multiclasses = []string{OneVsRest, OneVsOne, MultiLabel}

// Rest stands for all classes other than the positive one.
const Rest = -1

// Pairs lists the positive and negative classes that the machines separate, in the order of the
// machines.
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
