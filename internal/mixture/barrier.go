package mixture

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// barrier is the sum of the hinges with logarithms that smooth it: with xi_t for the hinge of a row,
//
//	sum_t C_t xi_t - mu (log xi_t + log(xi_t - h_t(e)))
//
// or, without H(Q), with a term log(xi_t - h_tc(e)) for each component of the other class, of which the best
// xi_t is known. At its minimum the sum of the hinges is above its own by mu times the number of logarithms at
// most. mu is above 0. The smaller it is, the nearer the minimum is to the least sum of the hinges.
type barrier struct {
	*hinges
	mu float64
}

const (
	newtonSteps = 30  // at most, of one mu
	settled     = 0.1 // of mu for each logarithm, below which a Newton step need not gain
)

// logarithms is the largest number of logarithms of a barrier.
func (h *hinges) logarithms() float64 {
	if h.Drop {
		return float64((1 + h.width()) * h.rows())
	}
	return float64(2 * h.rows())
}

// descend minimises by Newton's method, from e on. It reports whether numbers stayed finite.
//
// The norms of the components do not depend on e, so the hinges are all that is minimised. A matrix
// that has no factor ends the descent where it is: any e gives a valid P, and a better one alone is of
// use.
func (r barrier) descend(e []float64) bool {
	k := len(e)
	gradient, step := make([]float64, k), mat.NewDense(k, 1, nil)
	hessian := mat.NewSymDense(k, nil)
	next := make([]float64, k)
	value := r.at(e, gradient, hessian)
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
		// slope is the square of the Newton decrement. A full step gains about half of the slope, and this
		// half is compared with mu.
		slope := 0.0
		for c, g := range gradient {
			slope += g * step.At(c, 0)
		}
		if !(slope > settled*r.mu*math.Sqrt(r.logarithms())) {
			return true
		}
		// The length is halved until the value falls by a small share of what the slope promises
		// (Armijo's rule).
		length, moved := 1.0, false
		for range 30 {
			for c := range next {
				next[c] = e[c] - length*step.At(c, 0)
			}
			if at := r.at(next, nil, nil); at <= value-1e-4*length*slope {
				moved = true
				break
			}
			length /= 2
		}
		if !moved {
			return true
		}
		copy(e, next)
		value = r.at(e, gradient, hessian)
	}
	return true
}

// at is the value at e, with gradient and Hessian unless they are nil.
func (r barrier) at(e, gradient []float64, hessian *mat.SymDense) float64 {
	clear(gradient)
	if hessian != nil {
		hessian.Zero()
	}
	k, mu := len(e), r.mu
	slope, share := make([]float64, k), make([]float64, k)
	value := 0.0
	for t, cost := range r.Cost {
		h := r.violation(t, e)
		from, to := r.other(t)
		other := r.otherScores[:to-from]
		start, _ := r.own(t)
		if r.Drop {
			// h of each component of the other class, whose largest score h has.
			top := slices.Max(other)
			for j := range other {
				other[j] += h - top
			}
		}
		one := other[:1]
		if !r.Drop {
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
		//
		// force is the sum of p_c, which is the dual variable l_t that this e implies. bend is the
		// weight of the curvature of log sum exp, and stiff the second derivative by xi.
		force, bend, stiff := 0.0, 0.0, mu/(xi*xi)
		clear(slope)
		for j, x := range one {
			p := mu / (xi - x)
			force += p
			stiff += p * p / mu
			if r.Drop {
				slope[from+j] = p
			}
		}
		if !r.Drop {
			for j := from; j < to; j++ {
				slope[j] = force * share[j]
			}
			bend = force
		}
		// The scores of the own components enter h with weight -q_tc, so their slopes are -q_tc times
		// the whole force.
		for j, q := range r.q.of(t) {
			slope[start+j] = -force * q
		}
		for c := range k {
			gradient[c] += slope[c]
		}
		r.addCurvature(hessian, t, one, xi, stiff, bend, share)
	}
	return value
}

// addCurvature adds the second derivatives of the hinge of row t.
func (r barrier) addCurvature(hessian *mat.SymDense, t int, one []float64, xi, stiff, bend float64, share []float64) {
	from, to := r.other(t)
	start, end := r.own(t)
	q := r.q.of(t)
	weight := make([]float64, to-from) // by component of the other class, as far as each has a hinge
	total := 0.0
	for j, x := range one {
		p := r.mu / (xi - x)
		weight[j] = p * p / r.mu
		total += weight[j]
	}
	// sum_c weight_c g_c g_c' - (sum_c weight_c g_c)(..)'/stiff, with g_c = 1_c - q, or share - q alone.
	//
	// xi is eliminated: it is the best for each e. That takes the outer product of mean off the
	// Hessian, divided by stiff (the Schur complement of the row's two kinds of unknowns).
	mean := make([]float64, r.components())
	if r.Drop {
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
	// gonum keeps the upper triangle alone, so an element of the lower one is left to its mirror
	// image.
	add := func(a, b int, x float64) {
		if a <= b {
			hessian.SetSym(a, b, hessian.At(a, b)+x)
		}
	}
	for a := from; a < to; a++ {
		for b := from; b < to; b++ {
			x := -mean[a] * mean[b] / stiff
			if r.Drop && a == b {
				x += weight[a-from]
			}
			if !r.Drop {
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
		// One hinge has a closed form: the positive root of cost xi (xi - h) = mu (2 xi - h), as a
		// quadratic equation in xi.
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
