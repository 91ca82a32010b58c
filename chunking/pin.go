package chunking

import "context"

// Pinned weights. On a high rung of the ladder to p = 1 the weights are theta_m ~ V_m^e with e up to 10^9, and rounding
// of V to a share u moves them by a share e u. With C times as large a cost as a decision value, a step then changes the
// primal value by up to C e u for each support vector, and the gap no longer falls: it jumps up and down from step to
// step. At weights that stay, alpha has none of this: the gap of alpha falls to the rounding of one classifier, and the
// gap of the weights is quadratic in what they are off by, plus what the largest V_m differ by.
//
// So where a run makes no progress, the weights of the least gap up to then are pinned, and alpha is optimised at them.

// pinning is what a driver goes by where it pins weights.
type pinning struct {
	finest    []float64 // the weights of the least relative gap up to now, as they are reported
	finestGap float64   // this gap; 0 before there is one
	pins      int       // times that weights were pinned since the last progress
	pinnedAt  int       // iteration at which they were pinned
}

const (
	// pinnedSteps is the number of steps at pinned weights at most. Five to ten are usual.
	pinnedSteps = 30
	// pinnedShare is the share of the gap, or of the requested gap, that is left to alpha where it counts as optimal.
	pinnedShare = 0.01
	// mostPins is the number of times that weights are pinned without progress: once where progress ends, and once
	// where the run does.
	mostPins = 2
)

// note takes the weights in hand if their gap is the least up to now. Gaps of points that sleep may be stale.
func (p *pinning) note(s *evaluation) {
	if _, ok := s.norm.(Adaptive); !ok || !s.known() || s.iterations == 0 || p.finestGap > 0 && s.cert.RelativeGap >= p.finestGap {
		return
	}
	p.finestGap = s.cert.RelativeGap
	if s.pinned {
		return // they are the finest
	}
	p.finest = resized(p.finest, len(s.theta))
	for m, t := range s.theta {
		p.finest[m] = t / s.cert.scale
	}
}

// turnPins pins weights where that may help, and lets them go where it has not. slow means that there is no progress,
// ends that the run would end otherwise. It returns a status if the run is over, and true if it has changed the weights.
func (p *pinning) turnPins(ctx context.Context, s *evaluation, slow, ends bool) (Status, bool, error) {
	switch {
	case s.pinned && !p.over(s):
		return "", false, nil
	case s.pinned && p.pins >= mostPins:
		return Stalled, false, nil
	case s.pinned:
		s.pinned, s.stuck = false, 0
		return "", true, s.Reweigh(ctx)
	case p.finestGap == 0 || !s.sharp() || p.pins >= mostPins || p.pins > 0 && !ends || !slow && !ends || ends && s.active != nil:
		return "", false, nil
	}
	if err := s.Wake(ctx); err != nil {
		return "", false, err
	}
	p.pins++
	p.pinnedAt = s.iterations
	s.stuck = 0
	s.pin(p.finest)
	return "", true, s.recombine(ctx)
}

// over reports whether alpha is optimal at the pinned weights, as far as steps take it there.
func (p *pinning) over(s *evaluation) bool {
	return s.stuck >= stuckSteps || s.iterations-p.pinnedAt >= pinnedSteps ||
		s.cert.smooth <= pinnedShare*max(s.cert.RelativeGap, s.gap)
}

// sharp reports whether rounding of V shows in the weights: the norm is on a ladder, above its foot.
func (w *weights) sharp() bool {
	n, ok := w.norm.(Adaptive)
	return ok && !w.delicate() && n.Snapshot().Level > 0
}

// pin makes the weights stay at these. They are those that are reported, so their scale is 1.
func (w *weights) pin(theta []float64) {
	copy(w.theta, theta)
	w.pinned = true
}

// weigh puts the weights of V in theta, or those that are pinned.
func (w *weights) weigh(theta, V []float64) {
	if w.pinned {
		copy(theta, w.theta)
		return
	}
	w.norm.Weights(theta, V)
}

// curvature gives the curvature of the norm, and none at pinned weights.
func (w *weights) curvature(rank, theta, V []float64) (back float64, ok bool) {
	if w.pinned {
		return 0, false
	}
	return w.norm.Curvature(rank, theta, V)
}

// coupling gives the coupling of the norm, and nil at pinned weights.
func (w *weights) coupling(theta, V []float64) *Coupling {
	if c, ok := w.norm.(Coupled); ok && !w.pinned {
		return c.Coupling(theta, V)
	}
	return nil
}
