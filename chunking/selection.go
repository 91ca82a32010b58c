package chunking

import (
	"math"
	"slices"

	"bigmkl/internal/invariant"
)

// selection chooses working sets. It holds which points are active, which way each of their
// variables can move and how much the dual gains by it.
//
// alpha is optimal if no pair of points violates: if for all i that can grow and all j that can
// shrink, gain(i, canGrow) <= gain(j, canShrink), because moving both alike keeps the sum of alpha.
type selection struct {
	variables
	// ascent is the derivative of the dual by alpha_i, lin'(alpha) - ghat without the kink. It is
	// renewed for active points alone.
	ascent []float64
	room   []uint8 // which way alpha_i can go, in the bits below
	active []int   // points that passes go over, ascending; nil: all
	set    []int   // the last working set
	blocks Blocks  // of the gradient
}

// Bits of room.
const (
	canGrow = 1 << iota
	canShrink
	chosen // for the working set in hand
	both   = canGrow | canShrink
)

// awakePoints is the number of active points.
func (s *selection) awakePoints() int {
	if s.active != nil {
		return len(s.active)
	}
	return len(s.alpha)
}

// point is the k-th of the active points, which ascend.
func (s *selection) point(k int) int {
	if s.active != nil {
		return s.active[k]
	}
	return k
}

// awake reports whether point i is active.
func (s *selection) awake(i int) bool {
	if s.active == nil {
		return true
	}
	_, found := slices.BinarySearch(s.active, i)
	return found
}

// gain is the derivative of the dual by alpha_i where it grows, or where it shrinks: at a kink they
// differ.
func (s *selection) gain(i int, way uint8) float64 {
	a := s.alpha[i]
	switch {
	case s.kink == 0:
		return s.ascent[i]
	case a > 0 || a == 0 && way == canGrow:
		return s.ascent[i] - s.kink
	}
	return s.ascent[i] + s.kink
}

// survey renews ascent and room of the active points from the combined gradient. It returns the
// largest violation of the optimality conditions by a pair of them.
func (s *selection) survey(combined []float64) float64 {
	count := s.awakePoints()
	// The steepest of each block: a maximum and a minimum do not depend on the order.
	steepest := make([][2]float64, s.blocks.Count(count))
	s.blocks.Each(count, func(block, from, to int) {
		rise, fall := math.Inf(-1), math.Inf(1)
		for k := from; k < to; k++ {
			i := s.point(k)
			room := s.renewPoint(i, combined[i])
			if room&canGrow != 0 {
				rise = max(rise, s.gain(i, canGrow))
			}
			if room&canShrink != 0 {
				fall = min(fall, s.gain(i, canShrink))
			}
		}
		steepest[block] = [2]float64{rise, fall}
	})
	rise, fall := math.Inf(-1), math.Inf(1)
	for _, x := range steepest {
		rise, fall = max(rise, x[0]), min(fall, x[1])
	}
	return max(rise-fall, 0)
}

// renewPoint renews ascent and room of a point from its combined gradient, and returns the latter.
func (s *selection) renewPoint(i int, combined float64) (room uint8) {
	a := s.alpha[i]
	low, high := s.loss.Box(i)
	s.ascent[i] = s.loss.Slope(i, a) - combined
	if a < high {
		room = canGrow
	}
	if a > low {
		room |= canShrink
	}
	s.room[i] = room
	return room
}

// settled reports whether point i is at a bound or a kink, further from the margin than the
// distance. level is the bias at the weights in hand.
func (s *selection) settled(i int, level, distance float64) bool {
	room := s.room[i]
	return (room&canGrow == 0 || s.gain(i, canGrow)-level < -distance) &&
		(room&canShrink == 0 || s.gain(i, canShrink)-level > distance)
}

// choose picks the working set: first new violators of the optimality conditions, the steepest that
// can grow and the steepest that can shrink, then points kept from the last set, free variables
// first and among them those that came in last. Ties go to the lower index, so the choice depends
// on nothing but the state. first means that no step has been taken, violation is the largest by a
// pair. It also returns the violation that a pair of points outside the set has at most.
func (s *selection) choose(t *Tuning, first bool, violation float64) (set []int, outside float64) {
	size := t.Size(len(s.alpha))
	fresh := size
	if len(s.set) > 0 {
		// Points of the last set stay because their rows are likely to be cached, and because a set
		// of violators alone would forget what was optimised together.
		fresh = max(2, int(t.Fresh*float64(size))) // the pair that violates most at least
	}
	// At the start nothing separates the points, and the points of the lowest index may all be
	// alike.
	if first && s.alike() && s.atStart() {
		set, outside = s.spread(size), violation
	} else {
		set = s.top(fresh/2, canGrow)
		shrink := s.top(fresh-fresh/2, canShrink)
		if len(set) == fresh/2 && len(shrink) == fresh-fresh/2 {
			// All points outside the set violate by no more than the last that came in either way.
			outside = s.gain(set[len(set)-1], canGrow) - s.gain(shrink[len(shrink)-1], canShrink)
		}
		set = append(set, shrink...)
	}
	set = slices.DeleteFunc(set, func(i int) bool {
		// A point that can both grow and shrink may be in both lists.
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
		s.assertSet(set, size)
	}
	return set, outside
}

// assertSet checks a working set: no point is in it twice or asleep, and it has no more than size
// points.
func (s *selection) assertSet(set []int, size int) {
	invariant.Check(len(set) <= size, "a working set of %d points, at most %d", len(set), size)
	seen := make(map[int]bool, len(set))
	for _, i := range set {
		invariant.Check(!seen[i], "point %d is in the working set twice", i)
		invariant.Check(s.awake(i), "point %d is in the working set and asleep", i)
		seen[i] = true
	}
}

// spread picks points evenly from those that can grow and those that can shrink. It is for the
// first set: at alpha = 0 all points violate alike, and the steepest would be the points of the
// lowest index.
func (s *selection) spread(size int) []int {
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
