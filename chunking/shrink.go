package chunking

import (
	"context"
	"math"
)

// Shrinking leaves out a point that is at a bound and is so far from the margin that nothing in
// sight will move it. The active points become fewer step by step, each time by a fifth at least,
// and all sleeping points wake together: then each costs one row for every variable that has
// changed, however often that was while it slept. So few wakings matter more than few mistakes.
// Where the gradient is a Looker a look takes their place (inactive.go).
//
// The rule looks at the state alone, so a run that was resumed takes the same way, and a gap is
// only accepted with all points awake or looked at.
const (
	shrinkRest  = 10  // iterations after waking before the next time
	generations = 4   // times to shrink before waking: the gradient keeps a copy of alpha for each
	furtherTo   = 0.8 // share of the active points, as Tuning.Shrink, once some are left out

	// settledFrom is the distance from the margin at which a point counts as settled, as a share of
	// the largest violation. Violations fall as a run goes on, so less than all of it is enough.
	// The distance doubles, up to the largest violation, each time that it was not.
	settledFrom = 0.4
	// staleFrom is by how much more the gap has to be of the largest violation than it once was for
	// the difference to come from sleeping points.
	staleFrom = 4
)

// shrinking is when points were left out, and what has come of it.
type shrinking struct {
	asleep     int // times shrunk since all points were active
	mistaken   int // times that points had to wake because they held up the gap
	awakeUntil int // iteration before which shrinking rests
	looked     int // iteration at which the combined gradient of sleeping points became known
	// ratio is the least gap of alpha, divided by the largest violation, since the first of the
	// sleeping points fell asleep; 0 before it is known. See stale.
	ratio float64
}

// leaveOut leaves points out if enough of them are settled.
func (s *evaluation) leaveOut(ctx context.Context) error {
	sh, ok := s.grad.(Shrinker)
	count := s.awakePoints()
	if !ok || !s.tuning.shrinksTo(count, len(s.alpha)) ||
		s.asleep == generations || s.iterations < s.awakeUntil {
		return nil
	}
	distance := s.distance(s.cert.violation)
	settled := func(i int) bool { return s.settled(i, s.cert.level, distance) }
	// They are counted first: a list of all points is only made where it will be used.
	stay := sumBlocks(s.blocks, count, func(from, to int) (stay int) {
		for k := from; k < to; k++ {
			if !settled(s.point(k)) {
				stay++
			}
		}
		return stay
	})
	most := s.tuning.Shrink
	if s.active != nil {
		most = max(most, furtherTo)
	}
	if stay == 0 || float64(stay) > most*float64(count) {
		return nil
	}
	active := make([]int, 0, stay)
	for k := range count {
		if i := s.point(k); !settled(i) {
			active = append(active, i)
		}
	}
	if err := sh.Shrink(ctx, active, s.alpha); err != nil {
		return err
	}
	if s.active == nil {
		s.ratio = 0
	}
	s.active = active
	s.asleep++
	return nil
}

// distance is how far from the margin a point has to be to count as settled.
func (s *shrinking) distance(violation float64) float64 {
	return min(1, math.Ldexp(settledFrom, s.mistaken)) * violation
}

// stale reports whether the rest of the gap comes from sleeping points. Their part of it was 0
// when they fell asleep. It is not once the bias has moved past the margin of some, and then stays
// where it is while the largest violation of active points falls: the gap of alpha becomes larger
// in proportion to the violation than it has been since the first points fell asleep.
func (s *shrinking) stale(c *Certificate) bool {
	gap, violation := c.smooth*math.Abs(c.Primal), c.violation
	if violation > 0 && (s.ratio == 0 || gap < s.ratio*violation) {
		s.ratio = gap / violation
	}
	return gap > staleFrom*s.ratio*violation
}
