package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// The best multipliers e of a point minimise P, which is a sum of hinges in them. Hinges are rounded
// near 0 and, without H(Q), the largest score by a log sum exp, more and more sharply; each of these
// smooth functions is minimised by Newton's method. Only P itself decides whether the result is
// taken: any e gives a bound.

// roundings are the widths within which hinges are rounded, one after the other.
var roundings = []float64{1, 0.1, 1e-2, 1e-3, 1e-4, 1e-6}

const (
	newtonSteps = 30   // at most, of one width
	settled     = 1e-9 // share of the value below which a Newton step gains nothing
)

// improve sets e to the best of itself, a candidate (if any) and what Newton's method makes of it.
func (s *state) improve(candidate []float64) {
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
	e := slices.Clone(s.e)
	for _, width := range roundings {
		if !s.descend(e, width) {
			break
		}
		take(e)
	}
	s.centre()
}

// centre moves all multipliers by the same, which changes nothing, so that they average 0.
func (s *state) centre() {
	mean := 0.0
	for _, x := range s.e {
		mean += x / float64(len(s.e))
	}
	for c := range s.e {
		s.e[c] -= mean
	}
}

// descend minimises the hinges rounded within a width, from e on. It reports whether numbers stayed
// finite.
func (s *state) descend(e []float64, width float64) bool {
	k := len(e)
	gradient, step := make([]float64, k), mat.NewDense(k, 1, nil)
	hessian := mat.NewSymDense(k, nil)
	next := make([]float64, k)
	value := s.rounded(e, width, gradient, hessian)
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
		if !(slope > settled*math.Abs(value)) {
			return true
		}
		length, moved := 1.0, false
		for range 30 {
			for c := range next {
				next[c] = e[c] - length*step.At(c, 0)
			}
			if at := s.rounded(next, width, nil, nil); at <= value-1e-4*length*slope {
				moved = true
				break
			}
			length /= 2
		}
		if !moved {
			return true
		}
		copy(e, next)
		value = s.rounded(e, width, gradient, hessian)
	}
	return true
}

func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}

// rounded is the sum of the rounded hinges at e, with gradient and Hessian unless they are nil.
func (s *state) rounded(e []float64, width float64, gradient []float64, hessian *mat.SymDense) float64 {
	clear(gradient)
	if hessian != nil {
		hessian.Zero()
	}
	k := len(e)
	slope, share := make([]float64, k), make([]float64, k)
	sum, heat := 0.0, 1.0
	for t, cost := range s.Cost {
		h := s.violation(t, e)
		from, to := s.other(t)
		other := s.scores[1][:to-from]
		if s.Drop {
			// width log sum exp (s / width) is the largest score within width log |other|.
			heat = width
			top := slices.Max(other)
			for j, x := range other {
				other[j] = x / heat
			}
			h += heat*logSum(other) - top
		}
		if h <= 0 {
			continue
		}
		first, second := 1.0, 0.0
		if h < width {
			first, second = h/width, 1/width
			sum += cost * h * h / (2 * width)
		} else {
			sum += cost * (h - width/2)
		}
		if gradient == nil {
			continue
		}
		softmax(other, share[from:to])
		copy(slope[from:to], share[from:to])
		start, _ := s.own(t)
		for j, q := range s.ownOf(t) {
			slope[start+j] = -q
		}
		for c := range k {
			gradient[c] += cost * first * slope[c]
		}
		// The Hessian of a log sum exp is that of a distribution: diag(share) - share share'.
		bend := first / heat
		for a := range k {
			for b := a; b < k; b++ {
				x := second * slope[a] * slope[b]
				if a >= from && b < to {
					x -= bend * share[a] * share[b]
					if a == b {
						x += bend * share[a]
					}
				}
				hessian.SetSym(a, b, hessian.At(a, b)+cost*x)
			}
		}
	}
	return sum
}
