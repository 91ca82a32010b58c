package budget

import (
	"bigmkl/dataset"
	"bigmkl/model"
)

// Effort is what the machines of a decomposition into several take together. Its zero value is that
// of one machine.
type Effort struct {
	Machines int
	Points   int64   // sum over the machines of the points each is trained on
	Largest  int     // most points that are copied for a machine which is trained on a part of them
	Time     float64 // in trainings of one machine on all points, whose time grows with n^2
}

// NewEffort counts machines that are trained on so many of n points each.
func NewEffort(points []int, n int) Effort {
	e := Effort{Machines: len(points)}
	for _, p := range points {
		e.Points += int64(p)
		if p < n {
			e.Largest = max(e.Largest, p)
		}
		share := float64(p) / float64(n)
		e.Time += share * share
	}
	return e
}

// mostEffort is what several machines take at most on n points of these classes, or sets of labels.
func mostEffort(multiclass string, classes []string, n int) Effort {
	switch {
	case multiclass == "":
		return Effort{}
	case multiclass == model.MultiLabel:
		classes, _ = dataset.LabelSets(classes)
	case len(classes) < 3:
		return Effort{}
	}
	k := int64(len(classes))
	e := Effort{Machines: len(model.Pairs(multiclass, len(classes))), Points: k * int64(n)}
	if multiclass == model.OneVsOne {
		e.Largest = n
	}
	return e
}
