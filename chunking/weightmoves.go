package chunking

import (
	"context"
	"math"
)

// schedule is what the solver notes of weights that move in other ways than with every step.
type schedule struct {
	moves int       // times that a Mover has moved its weights
	held  float64   // least gap at the weights that are held now
	bold  int       // steps left for a norm as sharp as the norm of another problem, see Follow
	foot  NormState // where the norm goes back to if they are not enough
}

// turn lets a Mover move its weights if alpha is where it wants it. While points are asleep alpha
// is not there: what is known of them holds for the weights that were. It returns true if the
// ladder of the norm may go on: the weights are new, or the norm is not a Mover.
func (w *schedule) turn(ctx context.Context, s *evaluation) (bool, error) {
	n, ok := s.norm.(Mover)
	if !ok {
		return true, nil
	}
	at := s.placeFor(n)
	if !n.Ready(at) {
		return false, nil
	}
	if s.active != nil {
		// With all points awake the gap of alpha may be larger, so the norm is asked again.
		if err := s.Wake(ctx); err != nil {
			return false, err
		}
		if at = s.placeFor(n); !n.Ready(at) {
			return false, nil
		}
	}
	// From here on weights move every few steps, and would wake all points again.
	s.awakeUntil = math.MaxInt
	moved, err := n.Move(ctx, at)
	if err != nil || !moved {
		return false, err
	}
	w.moves++
	s.stuck, w.held = 0, math.Inf(1)
	return true, s.Reweigh(ctx)
}

// placeFor describes the state to a Mover.
func (s *evaluation) placeFor(n Mover) *Point {
	theta, energies, factor := n.Held(s.V)
	at := &Point{
		Theta: theta, V: energies, Linear: s.loss.Linear(s.alpha), Gap: s.cert.smooth * math.Abs(s.cert.Primal),
		Distance: s.cert.Gap(), Goal: s.gap * max(math.Abs(s.cert.Primal), math.Abs(s.cert.Dual)), Stuck: s.stuck > 0,
		second: func(ctx context.Context) ([]float64, error) { return curvature(ctx, s.grad, &s.iterate, factor) },
	}
	if s.double {
		at.Doubles = 1
	}
	at.Value = at.Linear
	for m, t := range at.Theta {
		at.Value -= t * max(at.V[m], 0) / 2
	}
	return at
}

// enough is the share of the lowest P - D so far, or less, that counts as lower.
const enough = 0.98

// nearer reports whether the gap at held weights has become lower since they moved. The problem's
// own gap may show nothing of that.
func (s *schedule) nearer(c *Certificate) bool {
	gap := c.smooth * math.Abs(c.Primal)
	if s.moves == 0 || !(gap < enough*s.held) {
		return false
	}
	s.held = gap
	return true
}
