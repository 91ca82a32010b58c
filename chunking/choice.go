package chunking

import (
	"slices"

	"bigmkl/internal/invariant"
)

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
			free := s.room[i]&both == both && (s.kinkOf(i) == 0 || s.alpha[i] != 0)
			if free == wantFree && s.room[i]&chosen == 0 && len(set) < size && s.awake(i) {
				s.room[i] |= chosen
				set = append(set, i)
			}
		}
	}
	for _, i := range set {
		s.room[i] &^= chosen
	}
	if s.anchor > 0 && !slices.Contains(set, s.anchor) {
		set = append(set[:min(len(set), size-1)], s.anchor)
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
