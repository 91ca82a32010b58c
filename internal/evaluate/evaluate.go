// Package evaluate measures predictions against what is known.
//
// The functions depend on their arguments alone and may be called from any goroutine. AUC and
// AveragePrecision take O(n) memory for n rows. A figure that is not defined is NaN.
//
// # References
//
// Hanley and McNeil, The meaning and use of the area under a receiver operating characteristic
// (ROC) curve, Radiology 143, 1982.
//
// Matthews, Comparison of the predicted and observed secondary structure of T4 phage lysozyme,
// Biochimica et Biophysica Acta 405, 1975; for more than two classes: Gorodkin, Comparing two
// K-category assignments by a K-category correlation coefficient, Computational Biology and
// Chemistry 28, 2004.
//
// Tsoumakas, Katakis and Vlahavas, Mining multi-label data, in: Data Mining and Knowledge Discovery
// Handbook, 2010.
package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Accuracy returns the share of predictions that equal the known class. It is NaN without any rows.
func Accuracy[T comparable](predicted, known []T) float64 {
	if len(predicted) != len(known) {
		panic(fmt.Sprintf("evaluate: %d predictions for %d rows", len(predicted), len(known)))
	}
	right := 0
	for i, p := range predicted {
		if p == known[i] {
			right++
		}
	}
	return float64(right) / float64(len(known))
}

// AUC returns the area under the ROC curve: the probability that a positive row drawn at random has
// a larger decision value than a negative one, where a tie counts as one half. It is NaN without
// rows of both classes.
func AUC(decisions []float64, positive []bool) float64 {
	n, order := len(decisions), ascending(decisions, positive)
	// This is Mann and Whitney's count of pairs won, in halves. Integers stay exact where a sum of
	// ranks would round.
	var won, below, positives uint64
	for lo, hi := 0, 0; lo < n; lo = hi {
		var pos, neg uint64
		for hi = lo; hi < n && cmp.Compare(decisions[order[hi]], decisions[order[lo]]) == 0; hi++ {
			if positive[order[hi]] {
				pos++
			} else {
				neg++
			}
		}
		won += pos * (2*below + neg)
		below += neg
		positives += pos
	}
	if positives == 0 || below == 0 {
		return math.NaN()
	}
	return float64(won) / 2 / (float64(positives) * float64(below))
}

// AveragePrecision returns the area under the curve of precision against recall as a step function.
// It is the mean, over the positive rows, of the share of positive rows among all rows whose
// decision value is at least as large. It is NaN without positive rows.
func AveragePrecision(decisions []float64, positive []bool) float64 {
	order := ascending(decisions, positive)
	taken, hits, sum := 0, 0, 0.0
	for hi := len(order); hi > 0; {
		lo, met := hi, 0
		for ; lo > 0 && cmp.Compare(decisions[order[lo-1]], decisions[order[hi-1]]) == 0; lo-- {
			if positive[order[lo-1]] {
				met++
			}
		}
		taken, hits = taken+hi-lo, hits+met
		sum += float64(met) * float64(hits) / float64(taken)
		hi = lo
	}
	return sum / float64(hits)
}

// ascending returns the indices of the decision values in ascending order.
func ascending(decisions []float64, positive []bool) []int {
	if len(decisions) != len(positive) {
		panic(fmt.Sprintf("evaluate: %d decisions for %d rows", len(decisions), len(positive)))
	}
	order := make([]int, len(decisions))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(decisions[a], decisions[b]) })
	return order
}
