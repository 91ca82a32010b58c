package chunking

import "context"

// The ladder of a smoothed norm. An Adaptive norm is solved as a sequence of smoothed problems,
// each sharper than the one before: far from the optimum a sharp problem takes hundreds of
// iterations, and the way through the smooth ones is short.

const (
	sharpenAt = 0.3 // share of the gap at which the smoothed problem counts as solved
	finish    = 3   // times the gap asked for: from here on the steps are small
)

// sharpen takes steps on the ladder while the smoothed problem is ahead of the true one.
func sharpen(ctx context.Context, s *Solver) error {
	l, ok := s.norm.(Adaptive)
	if !ok || s.iterations == 0 {
		return nil
	}
	changed := false
	for s.ripe() && l.Sharpen(s.cert.RelativeGap < finish*s.gap) {
		changed = true
		if err := s.Reweigh(ctx); err != nil {
			return err
		}
	}
	if changed {
		s.stuck = 0
	}
	return nil
}

// ripe reports whether the smoothed problem is solved so far that a sharper one is next. Its own gap says how
// far its optimum is; what is left of the true gap is the price of smoothing, which only a sharper norm lowers.
func (s *Solver) ripe() bool {
	return s.cert.smooth < sharpenAt*max(s.cert.RelativeGap, s.gap) && s.cert.RelativeGap > s.gap
}

// leavesFoot reports whether the next step would take the norm from the foot of its ladder. Points that sleep
// are looked at before: if they matter, the gap of the others is that of another problem, and the way up would
// be gone a second time. On MNIST in ten bands, 10,000 rows at p = 1 and C = 10, that takes 64 iterations
// and not 169. A norm without rungs, which is delicate, has no foot.
func (s *Solver) leavesFoot() bool {
	l, ok := s.norm.(Adaptive)
	return ok && !s.delicate() && s.iterations > 0 && s.ripe() && l.Snapshot().Level == 0
}

// climb takes a starting point up the ladder as far as that lowers the gap. Unless the gap is near
// its goal then, the norm goes back to the foot: sharp problems are much harder than the way
// through the smooth ones is long. For the same reason climb does nothing for a delicate norm.
func climb(ctx context.Context, s *Solver) error {
	l, ok := s.norm.(Adaptive)
	if !ok || s.atStart() || s.delicate() {
		return nil
	}
	foot := l.Snapshot()
	for {
		was := s.cert.RelativeGap
		if was <= s.gap || !l.Sharpen(was < finish*s.gap) {
			break
		}
		if err := s.Reweigh(ctx); err != nil {
			return err
		}
		// A step that raised the gap is not taken back: the next iterations make up for one rung.
		if s.cert.RelativeGap > was {
			break
		}
	}
	if s.cert.RelativeGap <= finish*s.gap || !l.Resume(foot) {
		return nil
	}
	return s.Reweigh(ctx)
}

// boldSteps is the number of iterations in which a norm as sharp as it was at the end of another
// problem has to bring the gap near its goal. After that it goes back to the foot of its ladder.
const boldSteps = 200

// embolden makes the norm as sharp as another problem left it, for boldSteps iterations at most.
func embolden(s *Solver, was NormState) {
	a, ok := s.norm.(Adaptive)
	if !ok {
		return
	}
	s.foot = a.Snapshot()
	if a.Resume(NormState{Level: was.Level, Smoothing: was.Smoothing, Least: was.Least}) {
		s.bold = boldSteps
	}
}

// calmDown sends an emboldened norm back to the foot of its ladder once its iterations are over.
func calmDown(ctx context.Context, s *Solver) error {
	if s.bold == 0 {
		return nil
	}
	if s.bold--; s.bold > 0 || s.cert.RelativeGap <= finish*s.gap {
		return nil
	}
	s.norm.(Adaptive).Resume(s.foot)
	s.stuck = 0
	return s.Reweigh(ctx)
}
