package cache

import (
	"cmp"
	"math"
	"slices"
)

// candidate is a row of a request that is not in memory and competes for a slot.
type candidate struct {
	// index is the place in the request.
	index  int
	onDisk bool
	// cost is the class of the cost. The classes are powers of four, because measured times vary.
	cost int
	seen uint8
}

func costClass(cost float64) int {
	if !(cost > 1) { // This covers NaN too.
		return 0
	}
	return int(math.Log2(min(cost, math.MaxFloat64)) / 2)
}

// best returns the n candidates that are most worth a slot, in the order of the request: first rows
// on disk, then expensive rows, then rows that earlier rounds asked for.
func best(list []candidate, n int) []candidate {
	if len(list) <= n {
		return list
	}
	slices.SortFunc(list, func(a, b candidate) int {
		if a.onDisk != b.onDisk {
			if a.onDisk {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.cost, a.cost), cmp.Compare(b.seen, a.seen),
			cmp.Compare(a.index, b.index))
	})
	list = list[:n]
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(a.index, b.index) })
	return list
}
