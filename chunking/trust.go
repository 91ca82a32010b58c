package chunking

import (
	"context"
	"math"
)

const (
	trustedShare = 0.1     // share of the gap that rounding may make up
	trustValues  = 1 << 31 // kernel values for each of the two, at which fewer points have to do
	claimValues  = 1 << 28 // the same where a run is ending
	// Share of the primal or dual value that rounding may make up then, however large the gap.
	claimShare = 1e-4
	// The share of the largest sum_m theta_m V_m down to which a solution may fall before its gradients
	// are computed again.
	fallenShare = 1.0 / (1 << 16)
)

// trusted decides whether the gap in hand can be accepted: rounding may make up a tenth of it. In
// single precision a delicate norm or a small gap never is. In double precision the gradients are
// computed again where what the iterations have left in them is too much, or the norm blows it up;
// what is left then is the rounding of sums, which depends on their order.
func (s rounding) trusted(ctx context.Context, p Precision) (bool, error) {
	if s.coarse(p) || !s.double && p != Single && s.fallen() {
		return false, nil
	}
	c, ok := s.grad.(Checker)
	if !ok {
		return true, nil
	}
	share := trustedShare
	if s.delicate() { // where the largest weights belong to small V_m the estimate is too large
		share *= 3
	}
	// The certificate in hand, and with it the most that is accepted, changes below.
	most := func() float64 { return share * s.gap * s.cert.size() }
	believed := func(rounding float64, err error) (bool, error) {
		return err == nil && rounding <= most(), err
	}
	if ok, err := believed(s.noise(ctx, c, most())); err != nil || !ok {
		return false, err
	}
	if !s.double || s.rebuilt != s.iterations {
		if !s.delicate() && !(s.double && s.fallen()) {
			if ok, err := believed(s.drift(ctx, c, trustValues, most())); err != nil || ok || !s.double {
				return ok, err
			}
		} else if !s.double {
			return false, nil
		}
		// The weights stay: rounding of the smallest V_m would move them by more than the gap
		// allows.
		if err := s.computeAfresh(ctx); err != nil {
			return false, err
		}
		s.rebuilt = s.iterations
		if !(s.reported().RelativeGap <= s.gap) {
			return false, nil
		}
	}
	return believed(s.drift(ctx, c, trustValues, most()))
}

// claim makes the certificate of a run that ends before it has converged bear what its result is
// worth: where rounding makes up an unacceptable share of the gap, or the gradients hold remainders of much larger ones, they are computed
// again in double precision, once, and the certificate is theirs. before is called before that, as there is no way back. To a gap that
// even double precision makes up much of, what rounding may add is added; and so it is to one that is as small as the one asked for, which
// was not accepted.
func (s rounding) claim(ctx context.Context, p Precision, before func()) error {
	c, ok := s.grad.(Checker)
	if !ok {
		return nil
	}
	if !s.double || s.rebuilt != s.iterations {
		most := min(trustedShare*s.cert.Gap(), claimShare*s.cert.size())
		drift, err := s.drift(ctx, c, claimValues, most)
		if err != nil {
			return err
		}
		if drift > most || s.fallen() {
			before()
			if err := s.computeAfresh(ctx); err != nil {
				return err
			}
			// A gap that is reached now is one of double precision, if that was not ruled out.
			s.double = s.double || p != Single && s.cert.RelativeGap <= s.gap
			// Some V_m may be 0 now, of which rounding had made a number, and V_m of an indefinite
			// kernel may have another sign than the one that its weight goes with.
			if n, ok := s.norm.(Excluder); ok && n.Indefinite() && !s.sharp() || s.unreported(s.vanishes()) {
				if err := s.reportWeights(ctx); err != nil {
					return err
				}
			}
		}
	}
	noise, err := s.noise(ctx, c, trustedShare*s.cert.Gap())
	if err != nil || s.cert.RelativeGap > s.gap && noise <= trustedShare*s.cert.Gap() {
		return err
	}
	drift, err := s.drift(ctx, c, claimValues, math.Inf(1))
	s.doubt = noise + drift
	return err
}

// computeAfresh computes the gradients again in double precision, and what depends on them under
// the weights in hand.
func (s rounding) computeAfresh(ctx context.Context) error {
	if err := s.grad.Rebuild(ctx, s.alpha, true); err != nil {
		return err
	}
	// Rebuilt gradients are of all points: none sleeps.
	s.shift, s.largest, s.active, s.asleep = 0, 0, nil, 0
	return s.recombine(ctx)
}

// fallen reports whether the gradients hold remainders of much larger ones. A point far from all others
// may have a large dual variable at first and none in the end. A change of f(x) by a V_m of the size
// V leaves an error of about (V k(x,x))^(1/2) units. The decisions and lengths of a solution whose V_m
// are R times smaller lose R^(1/2) units, far more than the rounding of their own terms. No gap
// shows that: a V_m that falls from 1e24 to 1e8 leaves an error of 1e-8.
func (s rounding) fallen() bool { return s.cert.energy < fallenShare*s.largest }

// coarse reports whether the solver is in single precision and what is asked for takes double.
func (s rounding) coarse(p Precision) bool {
	return !s.double && p != Single && (s.delicate() || s.gap < WidenBelow)
}

// Claim makes the certificate of a run that ends before it has converged bear what its result is
// worth. before is called before the gradients are computed again, as there is no way back. A
// Driver does this at the end of its run; Claim is for runs of several solvers.
func (s *Solver) Claim(ctx context.Context, p Precision, before func()) error {
	return rounding{&s.evaluation}.claim(ctx, p, before)
}
