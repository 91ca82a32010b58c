package chunking

import (
	"math"
	"slices"
	"sync/atomic"
)

// top returns the k active points that gain most by growing or by shrinking, the largest gain
// first. Ties go to the lower index, which makes the order of all points a total one: the result
// does not depend on the order in which they are looked at.
//
// Each block of points has a heap of its k best. A block whose heap is full shows how much the k-th
// best of all gains at least, and later blocks leave out what gains less.
func (s *selection) top(k int, way uint8) []int {
	if k == 0 {
		return nil
	}
	count := s.awakePoints()
	heaps := make([][]entry, s.blocks.Count(count))
	var least atomicMaximum
	least.bits.Store(math.Float64bits(math.Inf(-1)))
	s.blocks.Each(count, func(block, from, to int) {
		h := s.steepest(from, to, k, way, least.value())
		if len(h) == k {
			least.raise(h[0].value)
		}
		heaps[block] = h
	})
	var best []entry
	for _, h := range heaps {
		if best == nil {
			best = h
			continue
		}
		for _, e := range h {
			best = keepSteepest(best, e, k)
		}
	}
	return steepestFirst(best)
}

// steepest gives the k best of the active points from..to-1 in a heap, or all that gain least or
// more if these are fewer.
func (s *selection) steepest(from, to, k int, way uint8, least float64) []entry {
	h := make([]entry, 0, min(k, to-from))
	for at := from; at < to; at++ {
		i := s.point(at)
		if s.room[i]&way == 0 {
			continue
		}
		// A value that is NaN is kept, as it always was: the comparison is that way round.
		if v := s.merit(i, way); !(v < least) {
			h = keepSteepest(h, entry{v, i}, k)
			if len(h) == k {
				least = max(least, h[0].value)
			}
		}
	}
	return h
}

// keepSteepest adds an entry to the k best. It drops the worst of more than k.
func keepSteepest(h []entry, e entry, k int) []entry {
	switch {
	case len(h) < k:
		h = append(h, e)
		if len(h) == k {
			for at := k/2 - 1; at >= 0; at-- {
				sift(h, at)
			}
		}
	case less(h[0], e):
		h[0] = e
		sift(h, 0)
	}
	return h
}

// steepestFirst gives the points of a heap, the largest value first and of equal ones the lower
// index.
func steepestFirst(h []entry) []int {
	slices.SortFunc(h, func(a, b entry) int {
		if less(b, a) {
			return -1
		}
		return 1
	})
	points := make([]int, len(h))
	for at, e := range h {
		points[at] = e.index
	}
	return points
}

// atomicMaximum is the largest of numbers that several threads show it.
type atomicMaximum struct{ bits atomic.Uint64 }

// value gives the largest number so far.
func (m *atomicMaximum) value() float64 { return math.Float64frombits(m.bits.Load()) }

// raise shows it another number.
func (m *atomicMaximum) raise(x float64) {
	for was := m.bits.Load(); x > math.Float64frombits(was); was = m.bits.Load() {
		if m.bits.CompareAndSwap(was, math.Float64bits(x)) {
			return
		}
	}
}

// entry is a point in a heap of the steepest.
type entry struct {
	value float64
	index int
}

// less orders the heap: the entry that is to be dropped first is on top.
func less(a, b entry) bool { return a.value < b.value || a.value == b.value && a.index > b.index }

// sift moves the entry at a place of the heap down to where it belongs.
func sift(h []entry, at int) {
	for {
		child := 2*at + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && less(h[child+1], h[child]) {
			child++
		}
		if !less(h[child], h[at]) {
			return
		}
		h[at], h[child] = h[child], h[at]
		at = child
	}
}
