package evaluate

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// Times of events are above 0, and a censored row has minus the time up to which no event was seen; see dataset.Row.

// Censoring is the product-limit estimate of the distribution of the times of censoring (Kaplan and Meier 1958): at each time of a
// censored row, ascending, the share of the rows that were not censored until then, that time included. Of equal times the events
// come first. Both are nil where no row is censored.
func Censoring(times []float64) (at, share []float64) {
	sorted := slices.Clone(times)
	// Events come before censored rows of their time, which is negative.
	slices.SortFunc(sorted, func(a, b float64) int { return cmp.Or(cmp.Compare(math.Abs(a), math.Abs(b)), cmp.Compare(b, a)) })
	left := 1.0
	for i := 0; i < len(sorted); {
		if sorted[i] > 0 {
			i++
			continue
		}
		until := i
		for until < len(sorted) && sorted[until] == sorted[i] {
			until++
		}
		left *= 1 - float64(until-i)/float64(len(sorted)-i)
		at, share = append(at, -sorted[i]), append(share, left)
		i = until
	}
	return at, share
}

// ShareLeft returns the share of the rows that were not censored until time t, by the steps that Censoring returns.
func ShareLeft(at, share []float64, t float64) float64 {
	k := sort.Search(len(at), func(k int) bool { return at[k] > t })
	if k == 0 {
		return 1
	}
	return share[k-1]
}

// Concordance returns the share of the comparable pairs that predictions order as the times do, where a tie of predictions counts
// half (Harrell, Califf and Pryor 1982). A row with an event and a row are comparable if the time of the latter is larger, or equal
// and censored. weight, if it is not nil, is the weight of the pairs of an event at a time: with 1/G^2 of the share G that is not
// censored, the result is the estimate of Uno et al. (2011). It is NaN if no pair is comparable. It takes n log n time.
func Concordance(predicted, times []float64, weight func(t float64) float64) float64 {
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
	// Rows come in the order of descending times. Of equal ones the censored rows come first.
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(math.Abs(times[b]), math.Abs(times[a])), cmp.Compare(times[a], times[b]), cmp.Compare(a, b))
	})
	// later counts the rows of larger times by their ranks, as a tree of sums (Fenwick 1994).
	later := make([]int32, rank+1)
	upTo := func(r int32) (sum int32) {
		for ; r > 0; r -= r & -r {
			sum += later[r]
		}
		return sum
	}
	right, all, known := 0.0, 0.0, int32(0)
	add := func(rows []int32) {
		for _, i := range rows {
			known++
			for r := ranks[i]; r <= rank; r += r & -r {
				later[r]++
			}
		}
	}
	for from := 0; from < n; {
		t, until := times[order[from]], from+1
		for until < n && times[order[until]] == t {
			until++
		}
		rows := order[from:until]
		if t > 0 {
			w := 1.0
			if weight != nil {
				w = weight(t)
			}
			for _, i := range rows {
				below, level := upTo(ranks[i]-1), upTo(ranks[i])
				right += w * (float64(known-level) + float64(level-below)/2)
				all += w * float64(known)
			}
		}
		add(rows)
		from = until
	}
	return right / all
}
