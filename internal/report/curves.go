package report

import (
	"cmp"
	"slices"
)

// ranking holds the rows of a sample by their decision values, the largest first. Both curves depend on
// the order of the rows and not on the decision values themselves.
type ranking struct {
	decisions []float64
	positive  []bool
	positives int
}

// newRanking sorts the rows.
func newRanking(decisions []float64, positive []bool) *ranking {
	order := make([]int32, len(decisions))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		// Equal decision values keep the order of the rows, so the page has the same bytes each time.
		return cmp.Or(cmp.Compare(decisions[b], decisions[a]), cmp.Compare(a, b))
	})
	r := &ranking{}
	for _, i := range order {
		r.decisions, r.positive = append(r.decisions, decisions[i]), append(r.positive, positive[i])
		if positive[i] {
			r.positives++
		}
	}
	return r
}

// twoSided reports whether there are rows of both kinds, without which no curve is defined.
func (r *ranking) twoSided() bool { return r.positives > 0 && r.positives < len(r.positive) }

// thresholds calls visit with the numbers of right and wrong positive predictions at each threshold
// that separates rows. Rows of equal decision values are on one side of every threshold. A row with a
// decision value at or above the threshold is predicted positive.
func (r *ranking) thresholds(visit func(right, wrong int)) {
	right := 0
	for i := range r.decisions {
		if r.positive[i] {
			right++
		}
		if i+1 == len(r.decisions) || r.decisions[i+1] != r.decisions[i] {
			visit(right, i+1-right)
		}
	}
}

// finest is the step of a curve that a page shows: 1/finest of its axis. It is less than two units of
// the plot. A file of a million rows then has a curve of a few hundred points.
const finest = 250

// roc returns the ROC curve: the share of the positive rows that are found against the share of the
// negative rows that are taken for positive. A threshold has the point (FP/N, TP/P), with FP of N
// negative rows above it and TP of P positive rows. The area under the curve is the probability that a
// random positive row is above a random negative one.
func (r *ranking) roc() (l Line) {
	l.X, l.Y = []float64{0}, []float64{0}
	negatives := len(r.positive) - r.positives
	r.thresholds(func(right, wrong int) {
		l.keep(float64(wrong)/float64(negatives), float64(right)/float64(r.positives), right+wrong == len(r.positive))
	})
	return l
}

// precisionRecall returns the curve of precision against recall. A threshold has the point (TP/P,
// TP/(TP + FP)). Unlike ROC, the curve depends on the share of positive rows, so it shows more where
// positives are rare.
func (r *ranking) precisionRecall() (l Line) {
	r.thresholds(func(right, wrong int) {
		// Recall and precision are both 0 before the first right row, where the curve does not begin
		// yet.
		if right > 0 {
			l.keep(float64(right)/float64(r.positives), float64(right)/float64(right+wrong), right+wrong == len(r.positive))
		}
	})
	return l
}

// keep appends a point if it is a step away from the one before it, or the last one. The curve of
// precision jumps among its first rows alone, at the k-th by 1/k at most.
func (l *Line) keep(x, y float64, last bool) {
	// x never falls along a curve. y may, as precision does.
	if n := len(l.X) - 1; n >= 0 && !last && max(x-l.X[n], y-l.Y[n], l.Y[n]-y) < 1./finest {
		return
	}
	l.X, l.Y = append(l.X, x), append(l.Y, y)
}
