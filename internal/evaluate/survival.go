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
	values, events := make([]float64, len(times)), make([]bool, len(times))
	for i, t := range times {
		values[i], events[i] = math.Abs(t), t > 0
	}
	return productLimit(values, events, false)
}

// Survival is the product-limit estimate of the distribution of values of which some are lower bounds alone: at each value of an event,
// ascending, the share that is above it. Of equal values the events come first.
func Survival(values []float64, events []bool) (at, share []float64) {
	return productLimit(values, events, true)
}

// productLimit is the estimate of Kaplan and Meier (1958) for the values of events, or for those without.
func productLimit(values []float64, events []bool, of bool) (at, share []float64) {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	rank := func(i int) int {
		if events[i] {
			return 0
		}
		return 1
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(values[a], values[b]), cmp.Compare(rank(a), rank(b))) })
	left := 1.0
	for k := 0; k < len(order); {
		i, until := order[k], k+1
		for until < len(order) && values[order[until]] == values[i] && events[order[until]] == events[i] {
			until++
		}
		if events[i] == of {
			left *= 1 - float64(until-k)/float64(len(order)-k)
			at, share = append(at, values[i]), append(share, left)
		}
		k = until
	}
	return at, share
}

// ShareLeft returns the share that is left at t, by the steps that Censoring or Survival returns.
func ShareLeft(at, share []float64, t float64) float64 {
	k := sort.Search(len(at), func(k int) bool { return at[k] > t })
	if k == 0 {
		return 1
	}
	return share[k-1]
}
