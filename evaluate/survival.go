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
