package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// The best multipliers e of a point minimise P, which is a sum of hinges in them and, without H(Q), a linear
// program. A barrier smooths it: with xi_t for the hinge of a row,
//
//	sum_t C_t xi_t - mu (log xi_t + log(xi_t - h_t(e)))
//
// or, without H(Q), with a term log(xi_t - h_tc(e)) for each component of the other class, of which the best
// xi_t is known. Newton's method minimises it for smaller and smaller mu, at which it is off the minimum by mu
// times the number of logarithms at most. Only P itself decides whether a result is taken: any e gives a bound.

const (
	newtonSteps = 30   // at most, of one mu
	settled     = 0.1  // of mu for each logarithm, below which a Newton step need not gain
	cooling     = 0.2  // of mu from one to the next
	ofTheGap    = 0.02 // of what P - D may be, to which the last mu brings P
)

// improve sets e to the best of itself, a candidate (if any) and what Newton's method makes of it. off is by how
// much P was above D before, or +Inf: while that is large, P need not be the least to the last digit.
func (s *state) improve(candidate []float64, off float64) {
	best := s.losses(s.e)
	take := func(e []float64) {
		if loss := s.losses(e); loss < best {
			best = loss
			copy(s.e, e)
		}
	}
	if candidate != nil {
		take(candidate)
	}
	terms := float64(2 * s.rows())
	if s.Drop {
		terms = float64((1 + s.width()) * s.rows())
	}
	last := ofTheGap * s.Gap * (s.norm()/2 + best) / terms
	if !math.IsInf(off, 1) {
		last = max(last, ofTheGap*off/terms)
	}
	e := slices.Clone(s.e)
	for mu := min(best, 2*off) / terms; mu > 0 && s.descend(e, mu, terms); mu *= cooling {
		take(e)
		if mu <= last {
			break
		}
	}
	// A component without any row may be anywhere far below the others.
	e = slices.Clone(s.e)
	low := slices.Sorted(slices.Values(e))[len(e)/2] - farBelow
	for c, x := range e {
		e[c] = max(x, low)
	}
	if s.losses(e) <= best {
		copy(s.e, e)
	}
	s.centre()
}

// farBelow is how far below the median a multiplier may stay that counts nowhere.
const farBelow = 1e3

// centre moves all multipliers by the same, which changes nothing, so they average 0.
func (s *state) centre() {
	mean := 0.0
	for _, x := range s.e {
		mean += x / float64(len(s.e))
	}
	for c := range s.e {
		s.e[c] -= mean
	}
}

// descend minimises the hinges with a barrier of mu and so many logarithms, from e on. It reports whether
// numbers stayed finite.
func (s *state) descend(e []float64, mu, terms float64) bool {
	k := len(e)
	gradient, step := make([]float64, k), mat.NewDense(k, 1, nil)
	hessian := mat.NewSymDense(k, nil)
	next := make([]float64, k)
	value := s.smooth(e, mu, gradient, hessian)
	for range newtonSteps {
		ridge := 0.0
		for c := range k {
			ridge = max(ridge, hessian.At(c, c))
		}
		// e may move by a constant, and a component without any row near its margin anywhere.
		ridge = max(ridge*1e-9, 1e-12)
		for c := range k {
			hessian.SetSym(c, c, hessian.At(c, c)+ridge)
		}
		factor, ok := factorize(hessian)
		if !ok {
			return true
		}
		for c, g := range gradient {
			step.Set(c, 0, g)
		}
		if !factor.solve(step) {
			return false
		}
		slope := 0.0
		for c, g := range gradient {
			slope += g * step.At(c, 0)
		}
		if !(slope > settled*mu*math.Sqrt(terms)) {
			return true
		}
		length, moved := 1.0, false
		for range 30 {
			for c := range next {
				next[c] = e[c] - length*step.At(c, 0)
			}
			if at := s.smooth(next, mu, nil, nil); at <= value-1e-4*length*slope {
				moved = true
				break
			}
			length /= 2
		}
		if !moved {
			return true
		}
		copy(e, next)
		value = s.smooth(e, mu, gradient, hessian)
	}
	return true
}

func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// smooth is the sum of the hinges at e with a barrier of mu, with gradient and Hessian unless they are nil.
func (s *state) smooth(e []float64, mu float64, gradient []float64, hessian *mat.SymDense) float64 {
	clear(gradient)
	if hessian != nil {
		hessian.Zero()
	}
	k := len(e)
	slope, share := make([]float64, k), make([]float64, k)
	value := 0.0
	for t, cost := range s.Cost {
		h := s.violation(t, e)
		from, to := s.other(t)
		other := s.scores[1][:to-from]
		start, _ := s.own(t)
		if s.Drop {
			// h of each component of the other class, whose largest score h has.
			top := slices.Max(other)
			for j := range other {
				other[j] += h - top
			}
		}
		one := other[:1]
		if !s.Drop {
			softmax(other, share[from:to])
			one[0] = h
		} else {
			one = other
		}
		xi := bestHinge(one, cost, mu)
		value += cost*xi - mu*math.Log(xi)
		for _, x := range one {
			value -= mu * math.Log(xi-x)
		}
		if gradient == nil {
			continue
		}
		// The derivatives by h_c are p_c = mu/(xi - h_c), and the derivatives of p_c by h_c are p_c^2/mu
		// less what xi gives way.
		force, bend, stiff := 0.0, 0.0, mu/(xi*xi)
		clear(slope)
		for j, x := range one {
			p := mu / (xi - x)
			force += p
			stiff += p * p / mu
			if s.Drop {
				slope[from+j] = p
			}
		}
		if !s.Drop {
			for j := from; j < to; j++ {
				slope[j] = force * share[j]
			}
			bend = force
		}
		for j, q := range s.ownOf(t) {
			slope[start+j] = -force * q
		}
		for c := range k {
			gradient[c] += slope[c]
		}
		s.addCurvature(hessian, t, one, xi, mu, stiff, bend, share)
	}
	return value
}

// addCurvature adds the second derivatives of the hinge of row t.
func (s *state) addCurvature(hessian *mat.SymDense, t int, one []float64, xi, mu, stiff, bend float64, share []float64) {
	from, to := s.other(t)
	start, end := s.own(t)
	q := s.ownOf(t)
	weight := make([]float64, to-from) // by component of the other class, as far as each has a hinge
	total := 0.0
	for j, x := range one {
		p := mu / (xi - x)
		weight[j] = p * p / mu
		total += weight[j]
	}
	// sum_c weight_c g_c g_c' - (sum_c weight_c g_c)(..)'/stiff, with g_c = 1_c - q, or share - q alone.
	mean := make([]float64, s.components())
	if s.Drop {
		for j, w := range weight {
			mean[from+j] = w
		}
	} else {
		for j := from; j < to; j++ {
			mean[j] = total * share[j]
		}
	}
	for j, x := range q {
		mean[start+j] = -total * x
	}
	add := func(a, b int, x float64) {
		if a <= b {
			hessian.SetSym(a, b, hessian.At(a, b)+x)
		}
	}
	for a := from; a < to; a++ {
		for b := from; b < to; b++ {
			x := -mean[a] * mean[b] / stiff
			if s.Drop && a == b {
				x += weight[a-from]
			}
			if !s.Drop {
				// The Hessian of a log sum exp is the Hessian of a distribution: diag(share) - share
				// share'.
				x += (total - bend) * share[a] * share[b]
				if a == b {
					x += bend * share[a]
				}
			}
			add(a, b, x)
		}
	}
	for a := start; a < end; a++ {
		for b := start; b < end; b++ {
			add(a, b, total*q[a-start]*q[b-start]-mean[a]*mean[b]/stiff)
		}
		for b := from; b < to; b++ {
			// The product of -q and the sum of the others, weighted.
			cross := -q[a-start]*mean[b] - mean[a]*mean[b]/stiff
			add(min(a, b), max(a, b), cross)
		}
	}
}

// bestHinge returns the xi that minimises cost xi - mu (log xi + sum_c log(xi - h_c)): it lies between the
// largest of 0 and all h_c plus mu/cost, and that plus (1 + len(h)) mu/cost.
func bestHinge(h []float64, cost, mu float64) float64 {
	if len(h) == 1 {
		b, m := cost*h[0], 2*mu
		return (b + m + math.Sqrt(b*b+m*m)) / (2 * cost)
	}
	top := max(0, slices.Max(h))
	xi := top + mu/cost
	for range 60 {
		off, slope := -cost+mu/xi, mu/(xi*xi)
		for _, x := range h {
			d := 1 / (xi - x)
			off += mu * d
			slope += mu * d * d
		}
		// The function is convex and falls, so Newton's method comes from below.
		step := off / slope
		if !(step > 1e-13*(xi-top)) {
			break
		}
		xi += step
	}
	return xi
}
