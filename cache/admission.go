package cache

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// ramRate is the time to read a row from memory, in ns per byte. It corresponds to 10 GB/s.
const ramRate = 0.1

// worthReading reports whether reading a row at the given rate, in ns per byte, takes less time
// than computing it. The cost of computing is in ns, and 0 if it is unknown, in which case reading
// is worth it.
func worthReading(cost float64, rowBytes int64, rate float64) bool {
	return cost == 0 || cost > float64(rowBytes)*rate
}

// historyPerSlot is the number of rows that are remembered for each row that is kept, and
// historyFloor the least number. A row that did not return for memoryRounds rounds is forgotten.
const (
	historyPerSlot = 4
	historyFloor   = 1024
	memoryRounds   = 8
)

// past is what is known of a row, whether it is in memory or not.
type past struct {
	last uint32 // last is the round that asked for the row last.
	seen uint8  // seen counts the rounds that asked for the row, up to 255.
}

// history remembers which rows the last rounds asked for.
type history struct {
	round uint32
	limit int
	rows  map[Key]past
}

func newHistory(slots int) *history {
	// A cache with a few rows in a large memory still has to distinguish the rows of its rounds.
	return &history{limit: max(historyFloor, historyPerSlot*slots), rows: make(map[Key]past)}
}

// next starts a round. If there are too many rows, it forgets the oldest, but never the rows of
// the last round.
func (h *history) next() {
	h.round++
	for age := uint32(memoryRounds); len(h.rows) > h.limit && age > 1; age /= 2 {
		for k, p := range h.rows {
			if h.round-p.last > age {
				delete(h.rows, k)
			}
		}
	}
}

// touch notes that this round asks for the row.
func (h *history) touch(k Key) {
	p := h.rows[k]
	switch {
	case p.last == h.round: // The round asks for the row twice.
		return
	case h.round-p.last > memoryRounds:
		p.seen = 0
	}
	if p.seen < math.MaxUint8 {
		p.seen++
	}
	p.last = h.round
	h.rows[k] = p
}

// recurs reports whether a row has come back since a round first asked for it.
func (h *history) recurs(k Key) bool { return h.rows[k].seen >= 2 }

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

// rate is a measured speed in ns per byte. It starts with an assumption and then follows an average
// in which fast moments count more than slow ones, because the cost of rows is measured at its
// best, too.
type rate struct {
	ns    float64
	bytes int64 // bytes and spent are the sample that is being collected.
	spent time.Duration
}

// rateSample is the least number of bytes of a sample. Smaller samples measure the clock and the
// scheduler.
const rateSample = 4 << 20

func (r *rate) observe(bytes int64, spent time.Duration) {
	r.bytes += bytes
	r.spent += spent
	if r.bytes < rateSample {
		return
	}
	change := float64(r.spent)/float64(r.bytes) - r.ns
	if change < 0 {
		r.ns += change / 2
	} else {
		r.ns += change / 8
	}
	r.bytes, r.spent = 0, 0
}
