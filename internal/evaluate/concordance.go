package evaluate

import (
	"cmp"
	"math"
	"slices"

	"bigmkl/internal/dataset/labeltext"
)

// Concordance returns the share of the comparable pairs that predictions order as the times do, where a tie of predictions counts
// half (Harrell, Califf and Pryor 1982). times and uppers are dataset.Row.Target and Upper of the rows; uppers is nil if all are 0. Two rows
// are comparable if their intervals do not overlap. So the time of a row is smaller if its upper bound is below the lower bound of the other
// one, or equal to it where the other one is censored: a censored row has its event after its lower bound.
//
// weight, if it is not nil, is the weight of the pairs of an event at a time: with 1/G^2 of the share G that is not censored, the result is
// the estimate of Uno et al. (2011), which is defined without upper bounds alone. It is NaN if no pair is comparable. It takes n log n time.
func Concordance(predicted, times, uppers []float64, weight func(t float64) float64) float64 {
	n := len(times)
	order, ranks := make([]int32, n), make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(predicted[a], predicted[b]) })
	rank := int32(0)
	for k, i := range order {
		if k == 0 || predicted[i] != predicted[order[k-1]] {
			rank++
		}
		ranks[i] = rank
	}
	from, to := make([]float64, n), make([]float64, n)
	for i, t := range times {
		upper := 0.0
		if uppers != nil {
			upper = uppers[i]
		}
		from[i], to[i] = labeltext.TimeBounds(t, upper)
	}
	// Rows become later ones in the order of descending lower bounds. Of equal ones the censored rows come first.
	event := func(i int32) int {
		if times[i] > 0 {
			return 1
		}
		return 0
	}
	later := slices.Clone(order)
	slices.SortFunc(later, func(a, b int32) int { return cmp.Or(cmp.Compare(from[b], from[a]), cmp.Compare(event(a), event(b))) })
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(to[b], to[a]), cmp.Compare(a, b)) })
	counts := make(rankCounts, rank+1)
	right, all, known := 0.0, 0.0, 0
	for _, i := range order {
		if math.IsInf(to[i], 1) {
			continue
		}
		for known < n && (from[later[known]] > to[i] || from[later[known]] == to[i] && event(later[known]) == 0) {
			counts.add(ranks[later[known]])
			known++
		}
		w := 1.0
		if weight != nil {
			w = weight(to[i])
		}
		below, level := counts.upTo(ranks[i]-1), counts.upTo(ranks[i])
		right += w * (float64(known-level) + float64(level-below)/2)
		all += w * float64(known)
	}
	return right / all
}

// rankCounts counts rows by their ranks, which begin at 1, as a tree of sums (Fenwick 1994).
type rankCounts []int32

// add counts a row.
func (c rankCounts) add(rank int32) {
	for r := int(rank); r < len(c); r += r & -r {
		c[r]++
	}
}

// upTo returns the number of rows up to a rank.
func (c rankCounts) upTo(rank int32) (sum int) {
	for r := rank; r > 0; r -= r & -r {
		sum += int(c[r])
	}
	return sum
}
