package chunking

import (
	"context"
	"slices"
)

// The ladder of a smoothed norm. An Adaptive norm is solved as a sequence of smoothed problems,
// each sharper than the one before: far from the optimum a sharp problem takes hundreds of
// iterations, and the way through the smooth ones is short.

const (
	sharpenAt = 0.3 // share of the gap at which the smoothed problem counts as solved
	finish    = 3   // times the gap asked for: from here on the steps are small
)

// sharpen takes steps on the ladder while the smoothed problem is ahead of the true one. Where the next
// iteration can be expanded at the weights in hand it takes one.
func sharpen(ctx context.Context, s *Solver) error {
	l, ok := s.norm.(Adaptive)
	if !ok || s.iterations == 0 {
		return nil
	}
	_, mixes := s.grad.(Mixer)
	expands := mixes && s.columns == 0 && s.overall == nil
	for s.ripe() {
		was := slices.Clone(s.theta)
		if !l.Sharpen(s.cert.RelativeGap < finish*s.gap) {
			return nil
		}
		s.stuck = 0
		if expands {
			if s.expansion = expandAt(s.norm, s.V, was); s.expansion != nil {
				return nil
			}
		}
		if err := s.Reweigh(ctx); err != nil {
			return err
		}
	}
	return nil
}

// ripe reports whether the smoothed problem is solved so far that a sharper one is next. Its own gap shows how
// far its optimum is; what is left of the true gap is the price of smoothing, which only a sharper norm lowers.
func (s *Solver) ripe() bool {
	return s.cert.smooth < sharpenAt*max(s.cert.RelativeGap, s.gap) && s.cert.RelativeGap > s.gap
}

// leavesFoot reports whether the next step would take the norm from the foot of its ladder. Points that sleep
// are looked at before: if they matter, the gap of the others belongs to another problem, and the way up would
// be gone a second time. On MNIST in ten bands, 10,000 rows at p = 1 and C = 10, that takes 64 iterations and
// not 169. A norm without rungs, which is delicate, has no foot.
func (s *Solver) leavesFoot() bool {
	l, ok := s.norm.(Adaptive)
	return ok && !s.delicate() && s.iterations > 0 && s.ripe() && l.Snapshot().Level == 0
}

// climb takes a starting point up the ladder to the rung with the least gap. Unless that gap is near
// its goal, the norm goes back to the foot: sharp problems are much harder than the way
// through the smooth ones is long. For the same reason climb does nothing for a delicate norm.
func climb(ctx context.Context, s *Solver) error {
	l, ok := s.norm.(Adaptive)
	if !ok || s.atStart() || s.delicate() {
		return nil
	}
	foot, start := l.Snapshot(), s.cert.RelativeGap
	best, least := foot, start
	for least > s.gap && l.Sharpen(s.cert.RelativeGap < finish*s.gap) {
		if err := s.Reweigh(ctx); err != nil {
			return err
		}
		if s.cert.RelativeGap < least {
			best, least = l.Snapshot(), s.cert.RelativeGap
		} else if least < start {
			break // The first rungs may raise the gap. Behind the best one, each does.
		}
	}
	if least > finish*s.gap {
		best = foot
	}
	if best.Level == l.Snapshot().Level || !l.Resume(best) {
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
