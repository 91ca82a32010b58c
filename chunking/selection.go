package chunking

import (
	"math"
	"slices"
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
	// excess is the part of each point in the gap at fixed weights, for a Differentiable loss and nil for others. It has the
	// sign of the change that its dual variable is to make.
	excess []float64
	active []int  // points that passes go over, ascending; nil: all
	set    []int  // the last working set
	anchor int    // a variable that is part of every working set, see Differences; 0 for none
	blocks Blocks // of the gradient
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
		return s.ascent[i] - s.kinkOf(i)
	}
	return s.ascent[i] + s.kinkOf(i)
}

// merit is the order in which points come into a working set to move one way: by what the dual gains at first, or, with a
// Differentiable loss, by their part in the gap. The slope of such a loss has no bound, and is steepest where hardly anything
// is left to gain.
func (s *selection) merit(i int, way uint8) float64 {
	v := 0.0
	if s.excess != nil {
		v = s.excess[i]
	} else {
		v = s.gain(i, way)
	}
	if way == canShrink {
		return -v
	}
	return v
}

// survey renews ascent and room of the active points from the combined gradient and the best bias. It returns the
// largest violation of the optimality conditions by a pair of them.
func (s *selection) survey(combined []float64, bias float64) float64 {
	count := s.awakePoints()
	if s.collective != nil {
		s.collective.Slopes(s.alpha, s.ascent)
	}
	// The steepest of each block: a maximum and a minimum do not depend on the order.
	steepest := make([][2]float64, s.blocks.Count(count))
	s.blocks.Each(count, func(block, from, to int) {
		rise, fall := math.Inf(-1), math.Inf(1)
		for k := from; k < to; k++ {
			i := s.point(k)
			room := s.renewPoint(i, combined[i], bias)
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

// renewPoint renews ascent, room and excess of a point from its combined gradient, and returns the room. The slopes of a
// Collective loss are in ascent already.
func (s *selection) renewPoint(i int, combined, bias float64) (room uint8) {
	a := s.alpha[i]
	low, high := s.loss.Box(i)
	if s.collective == nil {
		s.ascent[i] = s.separable.Slope(i, a)
	}
	s.ascent[i] -= combined
	if a < high {
		room = canGrow
	}
	if a > low {
		room |= canShrink
	}
	s.room[i] = room
	if s.excess != nil {
		l, f := s.loss.(Differentiable), combined+bias
		response, _ := l.Respond(i, f)
		s.excess[i] = math.Copysign(l.Excess(i, a, f), response-a)
	}
	return room
}

// settled reports whether point i is at a bound or a kink, further from the margin than the
// distance. level is the bias at the weights in hand.
func (s *selection) settled(i int, level, distance float64) bool {
	room := s.room[i]
	return (room&canGrow == 0 || s.gain(i, canGrow)-level < -distance) &&
		(room&canShrink == 0 || s.gain(i, canShrink)-level > distance)
}
