package chunking

import (
	"math"
	"slices"

	"bigmkl/internal/invariant"
)

// choose picks the working set: new violators of the optimality conditions, the steepest that can grow and the steepest
// that can shrink, and the rest kept from the last set, free variables first and among them those that came in last.
// Ties go to the lower index. It returns the violation, too, that a pair of points outside the set has at most.
func (s *Solver) choose() (set []int, outside float64) {
	size := s.tuning.Size(len(s.alpha))
	fresh := size
	if len(s.set) > 0 {
		fresh = max(2, int(s.tuning.Fresh*float64(size))) // the pair that violates most at least
	}
	if s.iterations == 0 && s.alike() && s.atStart() {
		set, outside = s.spread(size), s.cert.violation
	} else {
		set = s.top(fresh/2, canGrow)
		shrink := s.top(fresh-fresh/2, canShrink)
		if len(set) == fresh/2 && len(shrink) == fresh-fresh/2 {
			outside = s.gain(set[len(set)-1], canGrow) - s.gain(shrink[len(shrink)-1], canShrink)
		}
		set = append(set, shrink...)
	}
	set = slices.DeleteFunc(set, func(i int) bool {
		seen := s.room[i]&chosen != 0
		s.room[i] |= chosen
		return seen
	})
	for _, wantFree := range []bool{true, false} {
		for _, i := range s.set {
			free := s.room[i]&both == both && (s.kink == 0 || s.alpha[i] != 0)
			if free == wantFree && s.room[i]&chosen == 0 && len(set) < size && s.awake(i) {
				s.room[i] |= chosen
				set = append(set, i)
			}
		}
	}
	for _, i := range set {
		s.room[i] &^= chosen
	}
	if len(set) == s.awakePoints() {
		outside = 0
	}
	if invariant.Enabled {
		s.assertSet(set)
	}
	return set, outside
}

// Bits of room.
const (
	canGrow = 1 << iota
	canShrink
	chosen // for the working set in hand
	both   = canGrow | canShrink
)

// survey renews ascent and room of the active points and returns the largest violation of the optimality conditions by a
// pair of them.
func (s *Solver) survey() float64 {
	rise, fall := math.Inf(-1), math.Inf(1)
	for k := range s.awakePoints() {
		i := s.point(k)
		a := s.alpha[i]
		low, high := s.loss.Box(i)
		g, room := s.loss.Slope(i, a)-s.combined[i], uint8(0)
		s.ascent[i] = g
		if a < high {
			room, rise = canGrow, max(rise, s.gain(i, canGrow))
		}
		if a > low {
			room, fall = room|canShrink, min(fall, s.gain(i, canShrink))
		}
		s.room[i] = room
	}
	return max(rise-fall, 0)
}

// gain is the derivative of the dual by alpha_i where it grows, or where it shrinks: at a kink they differ.
func (s *Solver) gain(i int, way uint8) float64 {
	a := s.alpha[i]
	switch {
	case s.kink == 0:
		return s.ascent[i]
	case a > 0 || a == 0 && way == canGrow:
		return s.ascent[i] - s.kink
	}
	return s.ascent[i] + s.kink
}

// alike tells whether all points that can grow violate alike at alpha = 0, and so do all that can shrink.
func (s *Solver) alike() bool {
	_, curved := s.loss.(Curved)
	return s.kink == 0 && !curved
}

func (s *Solver) awake(i int) bool {
	if s.active == nil {
		return true
	}
	_, found := slices.BinarySearch(s.active, i)
	return found
}

func (s *Solver) atStart() bool {
	for _, a := range s.alpha {
		if a != 0 {
			return false
		}
	}
	return true
}

// spread picks points evenly from those that can grow and those that can shrink: at alpha = 0 all violate alike.
func (s *Solver) spread(size int) []int {
	var grow, shrink []int
	for i, room := range s.room {
		if room&canGrow != 0 {
			grow = append(grow, i)
		} else if room&canShrink != 0 {
			shrink = append(shrink, i)
		}
	}
	a := min(len(grow), max(size/2, size-len(shrink)))
	b := min(len(shrink), size-a)
	return append(every(grow, a), every(shrink, b)...)
}

// every takes k of the elements of from, evenly spaced.
func every(from []int, k int) []int {
	r := make([]int, k)
	for i := range r {
		r[i] = from[i*len(from)/k]
	}
	return r
}

// top returns the k active points that gain most by growing or by shrinking, the largest gain first.
func (s *Solver) top(k int, way uint8) []int {
	sign := 1.0
	if way == canShrink {
		sign = -1
	}
	h := make([]entry, 0, k)
	for at := range s.awakePoints() {
		i := s.point(at)
		if k == 0 || s.room[i]&way == 0 {
			continue
		}
		v := sign * s.gain(i, way)
		switch {
		case len(h) < k:
			h = append(h, entry{v, i})
			if len(h) == k {
				for at := k/2 - 1; at >= 0; at-- {
					sift(h, at)
				}
			}
		case v > h[0].value:
			h[0] = entry{v, i}
			sift(h, 0)
		}
	}
	slices.SortFunc(h, func(a, b entry) int {
		if less(b, a) {
			return -1
		}
		return 1
	})
	r := make([]int, len(h))
	for i, e := range h {
		r[i] = e.index
	}
	return r
}

type entry struct {
	value float64
	index int
}

// less orders the heap: the entry to drop first on top.
func less(a, b entry) bool { return a.value < b.value || a.value == b.value && a.index > b.index }

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
