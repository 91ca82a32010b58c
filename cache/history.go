package cache

import "math"

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
