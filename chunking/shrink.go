package chunking

import "context"

// Shrinking leaves out a point that stands at a bound and is further from the margin than the worst
// violation: nothing in sight will move it. The rule looks at the state alone, so that a run that
// was resumed takes the same way, and a gap is only believed with all points awake.
const (
	shrinkRest  = 10 // iterations after waking before the next time
	generations = 3  // times to shrink before waking: the gradient keeps a copy of alpha for each
)

// leaveOut leaves points out if enough of them are settled.
func leaveOut(ctx context.Context, s *Solver) error {
	sh, ok := s.grad.(Shrinker)
	count := s.awakePoints()
	if !ok || s.tuning.NoShrink || count < shrinkFloor*s.tuning.Size(len(s.alpha)) ||
		s.asleep == generations || s.iterations < s.awakeUntil {
		return nil
	}
	settled := func(i int) bool { return s.settled(i, s.cert.level, s.cert.violation) }
	// They are counted first: a list of all points is only made where it will be used.
	stay := 0
	for k := range count {
		if !settled(s.point(k)) {
			stay++
		}
	}
	if stay == 0 || float64(stay) > s.tuning.Shrink*float64(count) {
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
	s.active = active
	s.asleep++
	return nil
}

// wake brings all points back, if some are asleep, and renews the certificate.
func wake(ctx context.Context, s *Solver) error {
	if s.active == nil {
		return nil
	}
	if err := s.grad.(Shrinker).Wake(ctx, s.alpha); err != nil {
		return err
	}
	// Shrinking rests for a while: what has just been brought up to date would be left out again at
	// once.
	s.active, s.asleep, s.awakeUntil = nil, 0, s.iterations+shrinkRest
	return s.recombine(ctx)
}
