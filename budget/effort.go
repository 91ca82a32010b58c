package budget

import (
	"bigmkl/dataset"
	"bigmkl/model"
)

// Effort says what the machines of a decomposition into several take together. Its zero value
// stands for a single machine.
type Effort struct {
	// Machines is the number of machines.
	Machines int
	// Points is the sum over the machines of the points that each is trained on.
	Points int64
	// Largest is the largest number of points that are copied for a machine. Only a machine that is
	// trained on a part of the points has copies.
	Largest int
	// Time is the time of all machines, in units of the time of one machine on all points. The time
	// of a machine grows with the square of its points.
	Time float64
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

// mostEffort returns what several machines take at most on n points of these classes, or sets of
// labels, where it is not known which point is of which class. It leaves Time at 0. Columns are as
// many as classes, whatever their number.
func mostEffort(multiclass string, classes []string, n int, columns bool) Effort {
	switch {
	case multiclass == "":
		return Effort{}
	case multiclass == model.MultiLabel:
		classes, _ = dataset.LabelSets(classes)
	case len(classes) < 3 && !columns: // two classes are one machine
		return Effort{}
	}
	k := int64(len(classes))
	// Each point has a part in k machines of one class against the rest, and in at most k-1 of
	// pairs.
	e := Effort{Machines: len(model.Pairs(multiclass, len(classes))), Points: k * int64(n)}
	if multiclass == model.OneVsOne {
		e.Largest = n
	}
	return e
}
