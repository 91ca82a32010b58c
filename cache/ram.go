package cache

import (
	"math"

	"bigmkl/mmap"
)

// slotOverhead bounds the bookkeeping of a slot in bytes: its entry, its place in the index, and
// the history of historyPerSlot rows, with the spare room of growing maps.
const slotOverhead = 512

// ram is the memory tier: an arena of equal slots in the order of use.
type ram struct {
	arena    *mmap.Map
	rowBytes int64
	stride   int64 // stride is the distance of two slots in bytes. Slots start on cache lines.
	capacity int

	recency
	free   []int32       // free lists touched slots without a row.
	index  map[Key]int32 // index maps the rows that are valid or being filled to their slots.
	busy   int           // busy counts the slots that are pinned or held.
	used   int64         // used is the number of bytes of the arena that were ever touched.
	memory int64
}

// newRAM returns the memory tier, or nil if not a single row fits.
func newRAM(rowBytes, memory int64) (*ram, error) {
	stride := strideOf(rowBytes)
	capacity := min(memory/(stride+slotOverhead), math.MaxInt32)
	if capacity <= 0 {
		return nil, nil
	}
	arena, err := mmap.Anonymous(capacity * stride)
	if err != nil {
		return nil, err
	}
	return &ram{
		arena: arena, rowBytes: rowBytes, stride: stride, capacity: int(capacity),
		index: make(map[Key]int32), recency: noSlots(), memory: memory,
	}, nil
}

func strideOf(rowBytes int64) int64 { return (rowBytes + 63) &^ 63 }

// bytes returns the memory in use.
func (r *ram) bytes() int64 {
	slots := int64(len(r.slots))
	return max(r.used, slots*r.stride) + slots*slotOverhead
}

// data returns the memory of slot s, which has the length of a row.
func (r *ram) data(s int32) []byte {
	first := int64(s) * r.stride
	return r.arena.Bytes()[first : first+r.rowBytes : first+r.rowBytes]
}

// unpinned returns the number of rows that can be placed in this round.
func (r *ram) unpinned() int { return r.capacity - r.busy }

// vacant returns the number of rows that can be placed without an eviction.
func (r *ram) vacant() int { return len(r.free) + r.capacity - len(r.slots) }

// place gives the key a pinned slot with undefined contents. There must be a vacant slot.
func (r *ram) place(k Key, cost float64) int32 {
	var s int32
	if n := len(r.free); n > 0 {
		s, r.free = r.free[n-1], r.free[:n-1]
	} else {
		s = int32(len(r.slots))
		r.slots = append(r.slots, slot{})
	}
	r.slots[s] = slot{key: k, cost: cost, newer: none, older: none}
	r.index[k] = s
	r.link(s)
	r.pin(s)
	return s
}

// pin keeps slot s until unpin, and makes it the newest.
func (r *ram) pin(s int32) {
	r.mark(s, true, r.slots[s].held)
	r.unlink(s)
	r.link(s)
}

// unpin allows slot s to be evicted again.
func (r *ram) unpin(s int32) { r.mark(s, false, r.slots[s].held) }

// hold keeps slot s while it is written to disk, or ends that.
func (r *ram) hold(s int32, held bool) { r.mark(s, r.slots[s].pinned, held) }

func (r *ram) mark(s int32, pinned, held bool) {
	e := &r.slots[s]
	if e.pinned || e.held {
		r.busy--
	}
	if e.pinned, e.held = pinned, held; pinned || held {
		r.busy++
	}
}

// drop removes the row from slot s.
func (r *ram) drop(s int32) {
	r.mark(s, false, false)
	r.unlink(s)
	delete(r.index, r.slots[s].key)
	r.slots[s].valid = false
	r.free = append(r.free, s)
}

// reset drops every row and gives the memory back.
func (r *ram) reset(rowBytes int64) error {
	r.empty(rowBytes)
	r.used = 0
	return r.arena.Discard(0)
}

// empty drops every row and divides the arena for rows of another length.
func (r *ram) empty(rowBytes int64) {
	r.used = max(r.used, int64(len(r.slots))*r.stride)
	r.recency, r.free, r.busy = noSlots(), nil, 0
	clear(r.index)
	r.rowBytes, r.stride = rowBytes, strideOf(rowBytes)
	r.capacity = int(min(r.memory/(r.stride+slotOverhead), int64(len(r.arena.Bytes()))/r.stride,
		math.MaxInt32))
}
