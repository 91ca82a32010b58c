package chunking

import "context"

// Widen goes on in double precision. If it returns an error, it can be called again.
func (s *Solver) Widen(ctx context.Context) error {
	was := s.double
	s.double = true
	err := s.rebuild(ctx)
	if err != nil {
		s.double = was
	}
	return err
}

// rebuild computes the gradients afresh from alpha, then V, then the weights of this V. The first
// of the two passes is for V alone, as the combined gradient needs weights that need V.
func (s *Solver) rebuild(ctx context.Context) error {
	if err := s.grad.Rebuild(ctx, s.alpha, s.double); err != nil {
		return err
	}
	s.shift, s.doubt = 0, 0
	// Rebuilt gradients are of all points: none sleeps.
	s.stuck, s.active, s.asleep, s.rebuilt = 0, nil, 0, s.iterations
	if err := s.recombine(ctx); err != nil { // for V alone
		return err
	}
	return s.Reweigh(ctx)
}

// Reweigh computes the weights from the V in hand and renews all that depends on them.
func (s *Solver) Reweigh(ctx context.Context) error {
	s.renew()
	return s.recombine(ctx)
}

// reportWeights gives the kernels the weights that a solution reports and renews all that depends
// on them.
func (s *Solver) reportWeights(ctx context.Context) error {
	s.report(s.vanishes())
	return s.recombine(ctx)
}

// recombine renews the combined gradient, V and the certificate under the weights in hand. It only
// looks at the gradients, and no context cuts it.
func (s *Solver) recombine(ctx context.Context) error {
	if err := s.grad.Pass(context.WithoutCancel(ctx), nil, nil, s.alpha, s.theta, s.combined, s.V); err != nil {
		return err
	}
	s.certify()
	return nil
}
