package chunking

import (
	"context"
	"slices"
)

// mostAwake is the share of the points that may be active when some are roused. Beyond it all are
// woken: memory and disk have room for copies of so many.
const mostAwake = 0.6

// look makes the combined gradient of all points known, where the gradient is a Looker. Sleeping
// points that are support vectors or not settled become active, so V is known and the run can
// continue with what was missed; the others sleep on. It returns false where the points have to be
// woken, and has changed nothing then.
func (s *evaluation) look(ctx context.Context) (seen bool, err error) {
	l, ok := s.grad.(Looker)
	// The weights of a Mover move between steps, and all gradients with them.
	if _, moves := s.norm.(Mover); !ok || moves {
		return false, nil
	}
	// Where a look is cut the state stays as it is.
	combined := slices.Clone(s.combined)
	if seen, err = l.Look(ctx, s.alpha, s.theta, combined); err != nil || !seen {
		return false, err
	}
	missed, stay := s.missed(combined)
	// Active points that have settled make room for those that were missed.
	most := int(mostAwake * float64(len(s.alpha)))
	if crowd := len(s.active)+len(missed) > most; crowd {
		if len(stay)+len(missed) > most || s.asleep == generations {
			return false, nil
		}
		if err := l.Shrink(ctx, stay, s.alpha); err != nil {
			return false, err
		}
		s.active = stay
		s.asleep++
	}
	if len(missed) > 0 {
		if err := l.Rouse(ctx, missed, s.alpha); err != nil {
			return false, err
		}
		s.active = slices.Concat(s.active, missed)
		slices.Sort(s.active)
	}
	// What was settled before is settled now: the ratio that identifies stale points begins
	// again.
	copy(s.combined, combined)
	s.looked, s.ratio = s.iterations, 0
	return true, s.recombine(ctx)
}

// missed lists the sleeping points that are support vectors or are not settled, for a combined
// gradient that holds for all points, and the active points of which that is true.
func (s *evaluation) missed(combined []float64) (missed, stay []int) {
	// The bias may have moved since the points fell asleep, and others with it past the margin.
	level, _ := s.loss.Primal(combined)
	distance := s.distance(s.cert.violation)
	next := 0
	for i, a := range s.alpha {
		active := next < len(s.active) && s.active[next] == i
		if active {
			next++
		} else {
			s.renewPoint(i, combined[i], level)
		}
		switch {
		case a == 0 && s.settled(i, level, distance):
		case active:
			stay = append(stay, i)
		default:
			missed = append(missed, i)
		}
	}
	return missed, stay
}
