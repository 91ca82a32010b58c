package cache

// none ends a list of slots.
const none = int32(-1)

// slot is the state of one piece of the arena, which has room for a row.
type slot struct {
	key    Key
	cost   float64 // cost is the last known cost of the row in ns. It is 0 if the cost is unknown.
	newer  int32   // newer and older are the neighbours in the order of use.
	older  int32
	valid  bool // valid is true if the slot holds the row.
	pinned bool // pinned is true if the row belongs to the current round.
	held   bool // held is true while the row is written to disk.
}

// recency holds slots in the order of use.
type recency struct {
	slots          []slot // slots holds the slots that were touched so far.
	newest, oldest int32
}

// noSlots returns an empty order.
func noSlots() recency { return recency{newest: none, oldest: none} }

// victims returns the n least recently used slots that are neither pinned nor held. There must be
// as many.
func (r *recency) victims(n int) []int32 {
	list := make([]int32, 0, n)
	for s := r.oldest; len(list) < n; s = r.slots[s].newer {
		if e := &r.slots[s]; !e.pinned && !e.held {
			list = append(list, s)
		}
	}
	return list
}

// link makes slot s the newest.
func (r *recency) link(s int32) {
	e := &r.slots[s]
	e.newer, e.older = none, r.newest
	if r.newest != none {
		r.slots[r.newest].newer = s
	} else {
		r.oldest = s
	}
	r.newest = s
}

// unlink takes slot s out of the order.
func (r *recency) unlink(s int32) {
	e := &r.slots[s]
	if e.newer != none {
		r.slots[e.newer].older = e.older
	} else {
		r.newest = e.older
	}
	if e.older != none {
		r.slots[e.older].newer = e.newer
	} else {
		r.oldest = e.newer
	}
}
