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
	// normalisedAt is sharpenAt of a Normalised norm. On MNIST in ten bands, one class of 3,000 rows at p = 1 and
	// C = 10, shares of 0.3, 0.6, 0.8, 0.9 and 0.97 take 41, 35, 30, 27 and 29 iterations.
	normalisedAt = 0.9
)

// ladder is an Adaptive norm at the iterate in hand.
type ladder struct {
	Adaptive
	*evaluation
}

// newLadder returns the ladder of an iterate, false if its norm has none or its weights are pinned.
func newLadder(e *evaluation) (ladder, bool) {
	n, ok := e.norm.(Adaptive)
	return ladder{n, e}, ok && !e.pinned
}

// sharpen takes steps on the ladder while the smoothed problem is ahead of the true one. Where the next
// iteration can be expanded at the weights in hand, it takes one step and returns the expansion.
func (s ladder) sharpen(ctx context.Context, expands bool) (*expansion, error) {
	for s.ripe() {
		was := slices.Clone(s.theta)
		if !s.Sharpen(s.cert.RelativeGap < finish*s.gap) {
			return nil, nil
		}
		s.stuck = 0
		if expands {
			if x := expandAt(s.norm, s.V, was); x != nil {
				return x, nil
			}
		}
		if err := s.Reweigh(ctx); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// ripe reports whether the smoothed problem is solved so far that a sharper one is next. Its own gap shows how
// far its optimum is; what is left of the true gap is the price of smoothing, which only a sharper norm lowers.
func (s ladder) ripe() bool {
	share := sharpenAt
	if _, ok := s.norm.(Normalised); ok {
		share = normalisedAt
	}
	return s.cert.smooth < share*max(s.cert.RelativeGap, s.gap) && s.cert.RelativeGap > s.gap
}

// leavesFoot reports whether the next step would take the norm from the foot of its ladder. Points that sleep
// are looked at before: if they matter, the gap of the others belongs to another problem, and the way up would
// be gone a second time. On MNIST in ten bands, 10,000 rows at p = 1 and C = 10, that takes 64 iterations and
// not 169. A norm without rungs, which is delicate, has no foot.
func (s ladder) leavesFoot() bool {
	return !s.delicate() && s.iterations > 0 && s.ripe() && s.Snapshot().Level == 0
}

// climb takes a starting point up the ladder to the rung with the least gap. Unless that gap is near
// its goal, the norm goes back to the foot: sharp problems are much harder than the way
// through the smooth ones is long. For the same reason climb does nothing for a delicate norm.
func (s ladder) climb(ctx context.Context) error {
	if s.atStart() || s.delicate() {
		return nil
	}
	foot, start := s.Snapshot(), s.cert.RelativeGap
	best, least := foot, start
	for least > s.gap && s.Sharpen(s.cert.RelativeGap < finish*s.gap) {
		if err := s.Reweigh(ctx); err != nil {
			return err
		}
		if s.cert.RelativeGap < least {
			best, least = s.Snapshot(), s.cert.RelativeGap
		} else if least < start {
			break // The first rungs may raise the gap. Behind the best one, each does.
		}
	}
	if least > finish*s.gap {
		best = foot
	}
	if best.Level == s.Snapshot().Level || !s.Resume(best) {
		return nil
	}
	return s.Reweigh(ctx)
}

// climb takes a starting point up the ladder of its norm, if it has one.
func (s *Solver) climb(ctx context.Context) error {
	if l, ok := newLadder(&s.evaluation); ok {
		return l.climb(ctx)
	}
	return nil
}

// boldSteps is the number of iterations in which a norm as sharp as it was at the end of another
// problem has to bring the gap near its goal. After that it goes back to the foot of its ladder.
const boldSteps = 200

// embolden makes the norm as sharp as another problem left it, for boldSteps iterations at most.
func (s *schedule) embolden(n Norm, was NormState) {
	a, ok := n.(Adaptive)
	if !ok {
		return
	}
	s.foot = a.Snapshot()
	if a.Resume(NormState{Level: was.Level, Smoothing: was.Smoothing, Least: was.Least}) {
		s.bold = boldSteps
	}
}

// calmDown sends an emboldened norm back to the foot of its ladder once its iterations are over.
func (s *schedule) calmDown(ctx context.Context, e *evaluation) error {
	if s.bold == 0 {
		return nil
	}
	if s.bold--; s.bold > 0 || e.cert.RelativeGap <= finish*e.gap {
		return nil
	}
	e.norm.(Adaptive).Resume(s.foot)
	e.stuck = 0
	return e.Reweigh(ctx)
}
