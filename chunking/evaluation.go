package chunking

import "context"

// evaluation is an iterate with the gradient that it is computed from.
type evaluation struct {
	iterate

	grad Gradient
	gap  float64 // relative gap to reach
	handover
	tuning Tuning

	rebuilt int  // iteration at which the gradients were computed again
	double  bool // the gradients are in double precision
	noisy   bool // the last step's prediction of V was off
	stuck   int  // steps in a row that moved nothing
}

// Widen goes on in double precision, with all points active. If it returns an error, it can be
// called again.
func (s *evaluation) Widen(ctx context.Context) error { return s.widen(ctx, s.rebuild) }

// widen goes on in double precision with gradients that rebuild computes.
func (s *evaluation) widen(ctx context.Context, rebuild func(ctx context.Context) error) error {
	was := s.double
	s.double = true
	err := rebuild(ctx)
	if err != nil {
		s.double = was
	}
	return err
}

// rebuildActive is rebuild of active points that include all support vectors. The others go on
// sleeping. The weights stay, which V hardly moves.
func (s *evaluation) rebuildActive(ctx context.Context) error {
	if err := s.grad.(Looker).RebuildActive(ctx, s.active, s.alpha, s.double); err != nil {
		return err
	}
	s.shift, s.doubt = 0, 0
	s.stuck, s.asleep, s.rebuilt, s.looked = 0, 1, s.iterations, 0
	return s.recombine(ctx)
}

// rebuild computes the gradients again from alpha, then V, then the weights of this V. The first
// of the two passes is for V alone, as the combined gradient needs weights that need V.
func (s *evaluation) rebuild(ctx context.Context) error {
	if err := s.grad.Rebuild(ctx, s.alpha, s.double); err != nil {
		return err
	}
	s.shift, s.doubt, s.largest = 0, 0, 0
	// Rebuilt gradients are of all points: none sleeps.
	s.stuck, s.active, s.asleep, s.rebuilt = 0, nil, 0, s.iterations
	if err := s.recombine(ctx); err != nil { // for V alone
		return err
	}
	return s.Reweigh(ctx)
}

// Reweigh computes the weights from the V in hand and renews all that depends on them.
func (s *evaluation) Reweigh(ctx context.Context) error {
	s.renew()
	// What is known of sleeping points is so under the weights that were.
	s.looked = 0
	return s.recombine(ctx)
}

// reportWeights gives the kernels the weights that a solution reports and renews all that depends
// on them.
func (s *evaluation) reportWeights(ctx context.Context) error {
	// Of points that sleep no more is known than under the weights in hand.
	if err := s.Wake(ctx); err != nil {
		return err
	}
	was := s.pinned
	if s.sharp() { // The weights of V itself may be far off, by rounding of V.
		s.pinned = true
	}
	s.report(s.vanishes())
	s.pinned = was
	return s.recombine(ctx)
}

// recombine renews the combined gradient, V and the certificate under the weights in hand. It only
// looks at the gradients, and no context cuts it.
func (s *evaluation) recombine(ctx context.Context) error {
	if err := s.grad.Pass(context.WithoutCancel(ctx), nil, nil, s.alpha, s.theta, s.combined, s.V); err != nil {
		return err
	}
	s.certify()
	return nil
}

// Wake makes all points active, if some are left out, and renews the certificate.
func (s *evaluation) Wake(ctx context.Context) error {
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

// settle closes an iteration: the pass has found V, where the line search predicted another.
func (s *evaluation) settle(ctx context.Context, predicted []float64) error {
	s.noisy = s.disagree(predicted)
	if l, ok := s.norm.(Adaptive); ok && l.Calibrate(s.V) {
		s.pinned = false // a kernel has to lose its weight
		return s.Reweigh(ctx)
	}
	s.certify()
	return nil
}
