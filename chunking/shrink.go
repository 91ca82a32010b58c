package chunking

import "context"

// Shrinker is a gradient that can leave points out of its passes and bring them up to date later.
type Shrinker interface {
	// Shrink restricts passes to active, ascending, a part of the points that are active now. Pass then leaves v and the
	// rest of combined as they are.
	Shrink(ctx context.Context, active []int, alpha []float64) error
	// Wake makes all points active again.
	Wake(ctx context.Context, alpha []float64) error
}

// Shrinking. A point is left out when it stands at a bound and is further from the margin than the worst violation: nothing
// in sight will move it. The rule looks at the state alone, and a gap is only believed with all points awake.
const (
	shrinkFloor = 4  // working sets: fewer active points are not worth it
	shrinkRest  = 10 // iterations after waking before the next time
	generations = 3  // times to shrink before waking: each keeps a copy of alpha
)

// awakePoints is the number of active points.
func (s *Solver) awakePoints() int {
	if s.active != nil {
		return len(s.active)
	}
	return len(s.alpha)
}

// point is the k-th of the active points, which ascend.
func (s *Solver) point(k int) int {
	if s.active != nil {
		return s.active[k]
	}
	return k
}

// shrink leaves points out if enough of them are settled.
func (s *Solver) shrink(ctx context.Context) error {
	sh, ok := s.grad.(Shrinker)
	count := s.awakePoints()
	if !ok || s.tuning.NoShrink || count < shrinkFloor*s.tuning.Size(len(s.alpha)) || s.asleep == generations || s.iterations < s.awakeUntil {
		return nil
	}
	stay := 0
	for k := range count {
		if !s.settled(s.point(k)) {
			stay++
		}
	}
	if stay == 0 || float64(stay) > s.tuning.Shrink*float64(count) {
		return nil
	}
	active := make([]int, 0, stay)
	for k := range count {
		if i := s.point(k); !s.settled(i) {
			active = append(active, i)
		}
	}
	if err := sh.Shrink(ctx, active, s.alpha); err != nil {
		return err
	}
	s.active = active
	s.asleep++
	return nil
}

// settled tells whether point i stands at a bound or a kink, further from the margin than the worst violation.
func (s *Solver) settled(i int) bool {
	room, level := s.room[i], s.cert.level
	return (room&canGrow == 0 || s.gain(i, canGrow)-level < -s.cert.violation) &&
		(room&canShrink == 0 || s.gain(i, canShrink)-level > s.cert.violation)
}

// Wake brings all points back, if some are asleep, and renews the certificate.
func (s *Solver) Wake(ctx context.Context) error {
	if s.active == nil {
		return nil
	}
	if err := s.grad.(Shrinker).Wake(ctx, s.alpha); err != nil {
		return err
	}
	s.active, s.asleep, s.awakeUntil = nil, 0, s.iterations+shrinkRest
	return s.recombine(ctx)
}
