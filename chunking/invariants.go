package chunking

import (
	"math"
	"slices"

	"bigmkl/internal/invariant"
)

// What must hold whatever the problem, checked behind the build tag invariants.
const (
	unitSlack   = 1e-9  // of the norm of theta and of sum theta_m V_m
	sumSlack    = 1e-10 // of sum alpha, as a share of sum |alpha|
	ascentSlack = 1e-10 // by which a step may lower the dual, as a share of lin + 1/2 ||v||^2
)

// assertState checks alpha and the certificate that belong together between steps.
func (s *Solver) assertState() {
	if slices.ContainsFunc(s.alpha, func(a float64) bool { return a != a }) {
		return // kernels that overflow are the data's, and whoever records the iteration says so
	}
	sum, size := -s.total, 0.0
	for i, a := range s.alpha {
		low, high := s.loss.Box(i)
		invariant.Check(low <= a && a <= high, "alpha[%d] = %v is outside its box from %v to %v", i, a, low, high)
		sum += a
		size += math.Abs(a)
	}
	start := s.total != 0 && size == 0 // before Start
	invariant.Check(start || math.Abs(sum) <= sumSlack*size, "alpha sums to %g, |alpha| to %g", sum, size)
	for m, t := range s.theta {
		invariant.Check(t >= 0 || t != t, "theta[%d] = %v", m, t) // NaN: kernels that overflow are the data's
	}
	for k := 1; k < len(s.active); k++ {
		invariant.Check(s.active[k-1] < s.active[k], "active points do not ascend: %d before %d", s.active[k-1], s.active[k])
	}
}

// assertSet checks a working set: no point twice, none that sleeps, no more than may be.
func (s *Solver) assertSet(set []int) {
	invariant.Check(len(set) <= s.tuning.Size(len(s.alpha)), "a working set of %d points, at most %d", len(set), s.tuning.Size(len(s.alpha)))
	seen := make(map[int]bool, len(set))
	for _, i := range set {
		invariant.Check(!seen[i], "point %d is in the working set twice", i)
		invariant.Check(s.awake(i), "point %d is in the working set and asleep", i)
		seen[i] = true
	}
}

// assertAscent checks that a step from alpha - delta, at which V was before, has not lowered the dual of the smoothed norm. With
// a kernel that may be indefinite it is not concave, and jumps where one is left out. A V_m below 0 of any other is rounding of
// single precision that exceeds V_m itself: the search sees it and the norm counts it as 0, so that the dual may seem to fall by it.
func (s *Solver) assertAscent(delta, before []float64) {
	if n, ok := s.norm.(interface{ indefiniteAmong() bool }); ok && n.indefiniteAmong() {
		return
	}
	now, size, rounding := s.smoothDual(s.alpha, s.V)
	was := slices.Clone(s.alpha)
	for k, i := range s.set {
		was[i] -= delta[k]
	}
	then, _, more := s.smoothDual(was, before)
	invariant.Check(!(now < then-ascentSlack*size-rounding-more), "a step lowers the dual from %.17g to %.17g", then, now)
}

// smoothDual is lin(alpha) - 1/2 ||v||^2 in the smoothed norm, with the size of its terms and what V_m below 0 would make of it.
func (s *Solver) smoothDual(alpha, v []float64) (dual, size, rounding float64) {
	theta := make([]float64, len(v))
	r := s.norm.Weights(theta, v)
	lin := s.loss.Linear(alpha)
	for m, t := range theta {
		rounding += t * max(-v[m], 0) / 2
	}
	return lin - r*r/2, math.Abs(lin) + r*r/2, rounding
}

// assertWeights checks theta against the V it was made for, of which length = ||u|| is the smoothed norm. With u_m^2 = V_m + delta^2
// (delta = 0 up to p = 2), q the conjugate exponent in use (that of p_s for p = 1) and the sums over the kernels that are not left out,
//
//	p != 2:  sum_m theta_m^(q/(q-2)) = 1      as theta_m = (u_m/||u||)^(q-2) and sum_m (u_m/||u||)^q = 1
//	p  = 2:  theta_m = 1
//	all p:   sum_m theta_m u_m^2 = ||u||^2
//
// q/(q-2) = p/(2-p): -1 for p = inf; for p = 1 it tends to 1 with the ladder, and Scale divides by sum theta what is reported. At
// V = 0 theta is the start, of norm 1 in the exponent p/(2-p) of p itself.
func (n *BlockNorm) assertWeights(theta, V []float64, length float64) {
	q := n.conjugate()
	power, energy, unit, used, dropped := q/(q-2), 0.0, 0.0, 0, false
	top := 0.0
	for m, x := range V {
		if !n.Dropped(m) {
			top = max(top, x)
		}
		dropped = dropped || n.Dropped(m)
	}
	if top == 0 {
		if power = n.p / (2 - n.p); math.IsInf(n.p, 1) {
			power = -1
		}
	}
	for m, t := range theta {
		if t != t || math.IsInf(t, 0) || math.IsInf(V[m], 0) {
			return // the data's kernels overflow, which is reported elsewhere
		}
		if t == 0 {
			continue
		}
		invariant.Check(q != 2 || t == 1, "theta[%d] = %v at p = 2", m, t)
		used++
		unit += math.Pow(t, power)
		energy += t * (max(V[m], 0) + n.smoothing)
	}
	if used == 0 || q == 2 && top == 0 || top == 0 && dropped {
		return
	}
	invariant.Check(q == 2 || math.Abs(unit-1) <= unitSlack*max(1, math.Abs(power)), "sum theta^%g = %.15g at p = %g", power, unit, n.p)
	if top > 0 {
		invariant.Check(math.Abs(energy-length*length) <= unitSlack*length*length, "sum theta V = %.15g, ||v||^2 = %.15g", energy, length*length)
	}
}
