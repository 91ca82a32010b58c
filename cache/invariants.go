package cache

import "bigmkl/internal/invariant"

// assertAccounts checks, behind the build tag invariants, what must hold after every call: the
// slots in the order of use are the slots of the index, and the pinned slots are the slots of the
// round.
func assertAccounts(r *ram, round []int32, inRound bool) {
	seen, busy, pinned := 0, 0, 0
	for s, newer := r.newest, none; s != none; s, newer = r.slots[s].older, s {
		e := &r.slots[s]
		at, ok := r.index[e.key]
		invariant.Check(e.newer == newer, "slot %d is behind %d in the order of use and names %d",
			s, newer, e.newer)
		invariant.Check(ok && at == s, "slot %d holds %v, which the index finds in %d", s, e.key,
			at)
		invariant.Check(e.valid || inRound, "slot %d holds no row outside of a round", s)
		if seen++; e.pinned || e.held {
			busy++
		}
		if e.pinned {
			pinned++
		}
		invariant.Check(seen <= len(r.slots), "the order of use is a circle")
		invariant.Check(e.older != none || r.oldest == s,
			"the oldest slot is %d, the order of use ends at %d", r.oldest, s)
	}
	invariant.Check(seen == len(r.index), "%d slots in use, %d rows in the index", seen,
		len(r.index))
	invariant.Check(seen+len(r.free) == len(r.slots), "%d slots in use and %d free of %d", seen,
		len(r.free), len(r.slots))
	invariant.Check(len(r.slots) <= r.capacity, "%d slots, %d at most", len(r.slots), r.capacity)
	invariant.Check(busy == r.busy, "%d slots are pinned or held, %d are counted", busy, r.busy)
	invariant.Check(pinned == len(round), "%d slots are pinned, %d by the round", pinned,
		len(round))
	for _, s := range round {
		invariant.Check(r.slots[s].pinned, "slot %d of the round is not pinned", s)
	}
}
