package chunking

import (
	"context"
	"math"
	"slices"

	"bigmkl/internal/invariant"
)

// The line search. Along the solution d of the quadratic model every V_m is a parabola known from the working set alone, so
// that the true dual can be searched, and the new V and theta are known before any row outside the set is touched.

const (
	longest = 4.0   // longest step along the solution of the model
	thin    = 1e-12 // see hair
	snap    = 1e-14 // distance to a bound, relative to the step, that counts as on it
)

// move searches along the solution d of the model, changes alpha and predicts V. It returns the change of alpha.
func (s *Solver) move(ctx context.Context) ([]float64, error) {
	d := s.inner.d
	if err := s.grad.Directions(ctx, s.set, d, s.b, s.c); err != nil {
		return nil, err
	}
	room := math.Inf(1)
	for k, x := range d {
		switch {
		case x > 0:
			room = min(room, s.inner.high[k]/x)
		case x < 0:
			room = min(room, s.inner.low[k]/x)
		}
	}
	t := s.search(d, max(1, min(room, longest)))
	delta, hair := make([]float64, len(d)), s.hair()
	for k, i := range s.set {
		low, high := s.loss.Box(i)
		was, step := s.alpha[i], t*d[k]
		// Kernels of large values make alpha tiny: what counts as on a bound cannot be a share of the box.
		a, near := was+step, snap*math.Abs(step)
		if a-low <= near {
			a = low
		}
		if high-a <= near {
			a = high
		}
		if math.Abs(a) <= hair {
			a = 0
		}
		s.alpha[i], delta[k] = a, a-was
	}
	s.balance(delta)
	s.stuck++
	for _, x := range delta {
		if x != 0 {
			s.stuck = 0
		}
	}
	before := s.V
	if invariant.Enabled {
		before = slices.Clone(s.V)
	}
	for m := range s.V {
		s.V[m] += t * (2*s.b[m] + t*s.c[m])
	}
	if invariant.Enabled {
		s.assertAscent(delta, before)
	}
	return delta, nil
}

// hair is how far from a kink a dual variable counts as at it, 0 without one. The step to it is seldom taken whole, and a
// variable that was left behind it would violate by all of the kink however little it is.
func (s *Solver) hair() float64 {
	if s.kink == 0 {
		return 0
	}
	most := 0.0
	for _, i := range s.set {
		most = max(most, math.Abs(s.alpha[i]))
	}
	return thin * most
}

// balance takes what rounding and snapping have left of sum alpha from the freest variable of the working set. One at a bound
// is never touched: a hair off it, it would count as a violation.
func (s *Solver) balance(delta []float64) {
	sum := -s.total
	for _, a := range s.alpha {
		sum += a
	}
	best, most := -1, 2*math.Abs(sum)
	for k, i := range s.set {
		low, high := s.loss.Box(i)
		room := min(s.alpha[i]-low, high-s.alpha[i])
		if s.kink != 0 {
			room = min(room, math.Abs(s.alpha[i]))
		}
		if room > most {
			best, most = k, room
		}
	}
	if best >= 0 {
		s.alpha[s.set[best]] -= sum
		delta[best] -= sum
	}
}

// search finds the maximum of the true dual along d in [0, most]: the root of
// F'(t) = lin'(t) - sum_m theta_m(t) (b_m + t c_m), V_m(t) = V_m + 2 t b_m + t^2 c_m. F' falls, so a bracket is kept.
func (s *Solver) search(d []float64, most float64) float64 {
	theta := make([]float64, len(s.theta))
	slope := func(t float64) float64 {
		for m, v := range s.V {
			s.line[m] = v + t*(2*s.b[m]+t*s.c[m])
		}
		s.norm.Weights(theta, s.line)
		f := 0.0
		for k, i := range s.set {
			a := s.alpha[i] + t*d[k]
			f += d[k] * s.loss.Slope(i, a)
			if s.kink != 0 {
				if a == 0 {
					a = d[k]
				}
				f -= math.Abs(d[k]) * math.Copysign(s.kink, a*d[k])
			}
		}
		for m, th := range theta {
			f -= th * (s.b[m] + t*s.c[m])
		}
		return f
	}
	low, high := 0.0, most
	atLow, atHigh := slope(0), slope(most)
	if !(atLow > 0) {
		return 0
	}
	if atHigh >= 0 {
		return most
	}
	first := atLow
	for range 60 {
		t := low + (high-low)*atLow/(atLow-atHigh) // regula falsi, the stale end halved (Illinois)
		f := slope(t)
		if math.Abs(f) <= 1e-12*first || high-low <= 1e-15*most {
			return t
		}
		if f > 0 {
			low, atLow, atHigh = t, f, atHigh/2
		} else {
			high, atHigh, atLow = t, f, atLow/2
		}
	}
	return low
}
