package model

// These are the ways in which a model of several classifiers decides.
const (
	// Each class has a classifier against all others, and the largest decision value wins.
	OneVsRest = "ovr"
	// Each pair of classes has a classifier. Most votes win, and the sum of decision values breaks
	// ties.
	OneVsOne = "ovo"
	// Each label has a classifier against its absence, and a row has the labels with decision
	// values above 0.
	MultiLabel = "labels"
	// One classifier has a function for each class, which it compares at each row with that of the
	// row's own class. The largest decision value wins.
	SingleClassifier = "single"
)

// Quantiles is the kind of a model that has a regressor for each of several quantiles, and decides nothing.
const Quantiles = "quantiles"

// Multiclasses lists the ways in which several classifiers decide.
var Multiclasses = []string{OneVsRest, OneVsOne, MultiLabel, SingleClassifier}

// Rest represents all classes other than the positive one.
const Rest = -1

// Pairs lists the positive and negative classes that the classifiers separate, in the order of the
// classifiers.
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
