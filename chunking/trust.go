package chunking

import "context"

// Checker is a gradient that can tell how far rounding has moved the primal and dual values for the alpha and theta of the
// last pass, from a fixed sample.
type Checker interface {
	Drift(ctx context.Context, alpha, theta []float64) (float64, error)
}

// trustedShare is the share of the gap that rounding may make up.
const trustedShare = 0.1

// trusted decides whether a gap reached in single precision can be believed; if not it goes on in double precision.
func (s *Solver) trusted(ctx context.Context, p Precision) (bool, error) {
	c, ok := s.grad.(Checker)
	if s.double || p == Single || !ok {
		return true, nil
	}
	if d, ok := s.norm.(interface{ Delicate() bool }); ok && d.Delicate() {
		return false, s.Widen(ctx)
	}
	drift, err := c.Drift(ctx, s.alpha, s.theta)
	if err != nil {
		return false, err
	}
	if drift <= trustedShare*s.gap*max(s.cert.Primal, s.cert.Dual) {
		return true, nil
	}
	return false, s.Widen(ctx)
}
