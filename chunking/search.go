package chunking

import (
	"context"
	"math"
	"slices"

	"bigmkl/internal/invariant"
)

// The line search. Along a direction d every V_m is a parabola in the length t of the step, known
// from the working set alone:
//
//	V_m(t) = V_m + 2 t b_m + t^2 c_m,   b_m = d'g_m,   c_m = d'K_m d
//
// so that the true dual can be searched, and the new V and theta are known before any row outside
// the working set is touched.

const (
	longest = 4.0 // longest step along the solution of the model, which may be too short
	// wholeWithin is how far from 1 the length of a step of all points may be for it to be taken whole. In between the
	// dual rises and falls by a hundredth of what the step gains.
	wholeWithin = 0.1
	farthest    = 1e30  // longest step along a direction that has no bounds
	snap        = 1e-14 // distance to a bound, relative to the step, that counts as on it

	searchSteps = 60    // at most; about ten are usual
	searchSlope = 1e-12 // of the first slope, which is left at the end
	searchWidth = 1e-15 // of the longest step, to which the bracket shrinks
)

// line is the memory of the search along a direction: V_m(t) = V_m + 2 t b_m + t^2 c_m.
type line struct {
	b, c []float64 // d'g_m and d'K_m d
	at   []float64 // V_m(t)
}

// newLine returns the line of so many kernels.
func newLine(kernels int) *line {
	return &line{make([]float64, kernels), make([]float64, kernels), make([]float64, kernels)}
}

// search finds the maximum of the true dual along d in [0, most]: the root of
//
//	F'(t) = lin'(t) - sum_m theta_m(t) (b_m + t c_m).
//
// F' falls, as F is concave, so a bracket is kept. b and c belong to d. It returns 0 if d does
// not ascend.
func (l *line) search(s *iterate, d []float64, most float64) float64 {
	theta := make([]float64, len(s.theta))
	slope := func(t float64) float64 {
		for m, v := range s.V {
			l.at[m] = v + t*(2*l.b[m]+t*l.c[m])
		}
		s.weigh(theta, l.at)
		f := l.slopeOfLin(s, d, t)
		for m, th := range theta {
			f -= th * (l.b[m] + t*l.c[m])
		}
		return f
	}
	low, high := 0.0, most
	atLow, atHigh := slope(0), slope(most)
	if !(atLow > 0) {
		return 0
	}
	// The dual still rises at the end of the step.
	if atHigh >= 0 {
		return most
	}
	first := atLow
	for range searchSteps {
		t := low + (high-low)*atLow/(atLow-atHigh) // regula falsi, the stale end halved (Illinois)
		f := slope(t)
		if math.Abs(f) <= searchSlope*first || high-low <= searchWidth*most {
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

// slopeOfLin is the derivative of lin by the length of a step along d on the set, where it is t long.
func (l *line) slopeOfLin(s *iterate, d []float64, t float64) float64 {
	f := 0.0
	if s.collective != nil {
		at, slopes := make([]float64, len(d)), make([]float64, len(d))
		for i, a := range s.alpha {
			at[i] = a + t*d[i]
		}
		if !s.collective.Slopes(at, slopes) {
			return math.Inf(-1) // Such a step is too long, by rounding.
		}
		return innerProduct(d, slopes)
	}
	for k, i := range s.set {
		a := s.alpha[i] + t*d[k]
		f += d[k] * s.separable.Slope(i, a)
		if s.kink != 0 {
			// At the kink the side that counts is the one that the step goes to.
			if a == 0 {
				a = d[k]
			}
			f -= math.Abs(d[k]) * math.Copysign(s.kinkOf(i), a*d[k])
		}
	}
	return f
}

// nearest is the share of the way to the end of a domain that a step goes at most. The slope of lin is infinite there.
const nearest = 0.999

// searchFar is the search without a longest step, up to the end of the domain of a Collective loss.
func (l *line) searchFar(s *iterate, d []float64) float64 {
	reach := math.Inf(1)
	if s.collective != nil {
		reach = nearest * s.collective.Reach(s.alpha, d)
	}
	most := min(1, reach)
	for {
		t := l.search(s, d, most)
		if t < most || most > farthest || most >= reach {
			return t
		}
		most = min(longest*most, reach)
	}
}

// predict gives V the values that it has after a step of length t.
func (l *line) predict(V []float64, t float64) {
	for m := range V {
		V[m] += t * (2*l.b[m] + t*l.c[m])
	}
}

// move searches along the solution d of the model, changes alpha and predicts V. It returns the
// change of alpha on the working set.
func (s setStep) move(ctx context.Context) ([]float64, error) {
	d := s.inner.d
	// Where no bound holds a variable and an indefinite kernel has left the model without a
	// maximum, the solution may be so long that b and c overflow. Then no step is taken.
	if slices.ContainsFunc(d, func(x float64) bool { return !(math.Abs(x) <= farthest) }) {
		clear(d)
	}
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
	t := s.search(&s.iterate, d, max(1, min(room, longest)))
	// A step of all points ends where pieces of the objective meet, if it is taken whole.
	if s.entire && math.Abs(t-1) <= wholeWithin {
		t = 1
	}
	delta, hair := make([]float64, len(d)), s.hair(s.set)
	for k, i := range s.set {
		low, high := s.loss.Box(i)
		was, step := s.alpha[i], t*d[k]
		// Kernels of large values make alpha tiny: what counts as on a bound cannot be a share of
		// the box.
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
	s.balance(s.set, delta)
	s.uncancelled = 0
	for k, i := range s.set {
		s.uncancelled += math.Abs(s.alpha[i]) * math.Sqrt(max(s.inner.diagonal[k], 0))
	}
	// A step that rounding swallows moves nothing. The driver counts them.
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
	s.predict(s.V, t)
	if invariant.Enabled {
		s.assertAscent(delta, before)
	}
	return delta, nil
}
