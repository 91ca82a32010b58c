package budget

import (
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/model"
)

// Effort describes what the classifiers of a decomposition into several take together. Its zero
// value means a single classifier.
type Effort struct {
	// Classifiers is the number of classifiers.
	Classifiers int
	// Points is the sum over the classifiers of the points that each is trained on.
	Points int64
	// Largest is the largest number of points that are copied for a classifier. Only a classifier
	// that is trained on a part of the points has copies.
	Largest int
	// Time is the time of all classifiers, in units of the time of one classifier on all points.
	// The time of a classifier grows with the square of its points.
	Time float64
}

// NewEffort counts classifiers that are trained on so many of n points each.
func NewEffort(points []int, n int) Effort {
	e := Effort{Classifiers: len(points)}
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

// mostEffort returns what several classifiers take at most on n points of these classes, or sets of
// labels, where it is not known which point is of which class. It leaves Time at 0. Columns are as
// many as classes, whatever their number.
func mostEffort(multiclass string, classes []string, n int, columns bool) Effort {
	switch {
	case multiclass == "":
		return Effort{}
	case multiclass == model.MultiLabel:
		classes, _ = labeltext.Sets(classes)
	case len(classes) < 3 && !columns: // two classes are one classifier
		return Effort{}
	}
	k := int64(len(classes))
	// Each point has a part in k classifiers of one class against the rest, and in at most k-1 of
	// pairs.
	e := Effort{Classifiers: len(model.Pairs(multiclass, len(classes))), Points: k * int64(n)}
	if multiclass == model.OneVsOne {
		e.Largest = n
	}
	return e
}
