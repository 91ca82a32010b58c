package cache

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// ramRate is what reading a row from memory costs, in ns per byte: 10 GB/s.
const ramRate = 0.1

// worthReading says whether a row that costs so much to compute (0 is unknown) is cheaper to read at rate ns per byte.
func worthReading(cost float64, rowBytes int64, rate float64) bool {
	return cost == 0 || cost > float64(rowBytes)*rate
}

// historyPerSlot is how many rows are remembered for each that is kept; memory rounds forgets a row that did not return.
const (
	historyPerSlot = 4
	historyFloor   = 1024
	memoryRounds   = 8
)

// past is what is known of a row, in memory or not.
type past struct {
	last uint32 // round that wanted it last
	seen uint8  // rounds that wanted it, saturating
}

// history remembers which rows the last rounds wanted.
type history struct {
	round uint32
	limit int
	rows  map[Key]past
}

func newHistory(slots int) *history {
	// A cache that holds a handful of rows in a large memory still has to tell the rows of its rounds apart.
	return &history{limit: max(historyFloor, historyPerSlot*slots), rows: make(map[Key]past)}
}

// next starts a round, forgetting the oldest rows if there are too many. What the last round wanted is always kept.
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

// touch notes that this round wants the row.
func (h *history) touch(k Key) {
	p := h.rows[k]
	switch {
	case p.last == h.round: // a duplicate
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

// recurs says whether a row has come back since it was first wanted.
func (h *history) recurs(k Key) bool { return h.rows[k].seen >= 2 }

// candidate is a missing row that would like a slot.
type candidate struct {
	index  int // in the request
	onDisk bool
	cost   int // class of cost: powers of four, because measured times jitter
	seen   uint8
}

func costClass(cost float64) int {
	if !(cost > 1) { // also NaN
		return 0
	}
	return int(math.Log2(min(cost, math.MaxFloat64)) / 2)
}

// best keeps the n candidates that deserve a slot most, in the order of the request.
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
		return cmp.Or(cmp.Compare(b.cost, a.cost), cmp.Compare(b.seen, a.seen), cmp.Compare(a.index, b.index))
	})
	list = list[:n]
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(a.index, b.index) })
	return list
}

// rate is a measured speed in ns per byte: an assumption to begin with, then an average that follows fast moments more
// than slow ones, because what rows cost is measured at its best, too.
type rate struct {
	ns    float64
	bytes int64 // sample being collected
	spent time.Duration
}

// rateSample is the least amount that is a measurement; shorter ones say more about the clock and the scheduler.
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
