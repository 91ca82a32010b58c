package chunking

import (
	"context"
	"math"
)

// turn lets a Mover move its weights if alpha is where it wants it. While points are asleep alpha
// is not there: what is known of them holds for the weights that were. It returns true if the
// ladder of the norm may go on: the weights are new, or the norm is not a Mover.
func turn(ctx context.Context, s *Solver) (bool, error) {
	n, ok := s.norm.(Mover)
	if !ok {
		return true, nil
	}
	at := where(s, n)
	if !n.Ready(at) {
		return false, nil
	}
	if s.active != nil {
		// With all points awake the gap of alpha may be larger, so the norm is asked again.
		if err := wake(ctx, s); err != nil {
			return false, err
		}
		if at = where(s, n); !n.Ready(at) {
			return false, nil
		}
	}
	// From here on weights move every few steps, and would wake all points again.
	s.awakeUntil = math.MaxInt
	moved, err := n.Move(ctx, at)
	if err != nil || !moved {
		return false, err
	}
	s.moves++
	s.stuck, s.held = 0, math.Inf(1)
	return true, s.Reweigh(ctx)
}

// where describes the state to a Mover.
func where(s *Solver, n Mover) *Point {
	theta, energies, factor := n.Held(s.V)
	at := &Point{
		Theta: theta, V: energies, Linear: s.loss.Linear(s.alpha), Gap: s.cert.smooth * math.Abs(s.cert.Primal),
		Distance: s.cert.Gap(), Goal: s.gap * max(math.Abs(s.cert.Primal), math.Abs(s.cert.Dual)), Stuck: s.stuck > 0,
		second: func(ctx context.Context) ([]float64, error) { return curvature(ctx, s, factor) },
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
func nearer(s *Solver) bool {
	gap := s.cert.smooth * math.Abs(s.cert.Primal)
	if s.moves == 0 || !(gap < enough*s.held) {
		return false
	}
	s.held = gap
	return true
}
