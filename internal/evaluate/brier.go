package evaluate

import "math"

// TimesBrier is the Brier score of survival curves at some times (Graf et al. 1999): the mean square of the difference between the predicted
// share of rows without an event until t and what became of a row, 0 or 1. What became of rows that were censored before t is not known. The
// others have the weight 1/G in their place, for the share G of rows that are not censored until then. times and uppers of rows are as in Concordance.
type TimesBrier struct {
	times     []float64
	at, share []float64 // the steps of G
	sums      []float64
	rows      int
	intervals bool
	last      float64 // the largest time of a row
	unknown   bool    // a row that was censored then has no known end
}

// NewTimesBrier returns the score at ascending times, of no rows yet. at and share are G as Censoring returns it.
func NewTimesBrier(times, at, share []float64) *TimesBrier {
	return &TimesBrier{times: times, at: at, share: share, sums: make([]float64, len(times))}
}

// Add takes a row: its curve, the predicted share at each time, and dataset.Row.Target and Upper.
func (b *TimesBrier) Add(curve []float64, target, upper float64) {
	b.rows++
	b.intervals = b.intervals || upper != 0
	if t := math.Abs(target); t > b.last {
		b.last, b.unknown = t, target < 0
	} else if t == b.last {
		b.unknown = b.unknown || target < 0
	}
	for k, t := range b.times {
		switch {
		case target > 0 && target <= t:
			b.sums[k] += curve[k] * curve[k] / ShareLeft(b.at, b.share, target)
		case math.Abs(target) > t:
			b.sums[k] += (1 - curve[k]) * (1 - curve[k]) / ShareLeft(b.at, b.share, t)
		}
	}
}

// Scores returns the score at each time, NaN where it is not defined: without rows, with upper bounds of times, where no row of the
// training was left that was not censored, and from the largest time of all rows on if a row was censored then. No row represents the
// censored ones there, and the sum would count events alone.
func (b *TimesBrier) Scores() []float64 {
	list := make([]float64, len(b.sums))
	for k, sum := range b.sums {
		if list[k] = sum / float64(b.rows); b.intervals || math.IsInf(list[k], 0) || b.unknown && b.times[k] >= b.last {
			list[k] = math.NaN()
		}
	}
	return list
}

// Integrated returns the mean of the scores from the first time to the last, by trapezoids. It is NaN for fewer than two times.
func (b *TimesBrier) Integrated() float64 {
	scores, area := b.Scores(), 0.0
	for k := 1; k < len(scores); k++ {
		area += (b.times[k] - b.times[k-1]) * (scores[k] + scores[k-1]) / 2
	}
	if len(scores) < 2 {
		return math.NaN()
	}
	return area / (b.times[len(scores)-1] - b.times[0])
}
