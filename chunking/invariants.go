package chunking

import (
	"math"
	"slices"

	"bigmkl/internal/float"
	"bigmkl/internal/invariant"
)

// What must hold whatever the problem. It is checked behind the build tag invariants.
const (
	sumSlack    = 1e-10 // of sum alpha, as a share of sum |alpha|
	ascentSlack = 1e-10 // by which a step may lower the dual, as a share of lin + 1/2 ||v||^2
)

// assertState checks alpha and the weights, which belong together between steps.
func (s *iterate) assertState() {
	if slices.ContainsFunc(s.alpha, func(a float64) bool { return a != a }) {
		return // kernels that overflow are the data's, and whoever records the iteration reports this
	}
	// Steps round each dual variable at the size of its bounds, also where little of it is left.
	sum, size, rounding := -s.total, 0.0, 0.0
	for i, a := range s.alpha {
		low, high := s.loss.Box(i)
		invariant.Check(low <= a && a <= high, "alpha[%d] = %v is outside its box from %v to %v", i, a, low, high)
		sum += a
		size += math.Abs(a)
		if bound := max(-low, high); float.Finite(bound) {
			rounding += bound * 0x1p-52
		}
	}
	start := s.total != 0 && size == 0 // before Start
	invariant.Check(start || math.Abs(sum) <= sumSlack*size+rounding, "alpha sums to %g, |alpha| to %g", sum, size)
	for m, t := range s.theta {
		// NaN: kernels that overflow are the data's.
		invariant.Check(t >= 0 || t != t, "theta[%d] = %v", m, t)
	}
	for k := 1; k < len(s.active); k++ {
		invariant.Check(s.active[k-1] < s.active[k], "active points do not ascend: %d before %d", s.active[k-1], s.active[k])
	}
}

// assertAscent checks that a step from alpha - delta, at which V was before, has not lowered the
// dual of the smoothed norm. With a kernel that may be indefinite the dual is not concave, and
// jumps where one is left out: nothing is checked then. For any other kernel a V_m below 0 is
// rounding of single precision that exceeds V_m itself: the search sees it and the norm counts it
// as 0, so the dual may seem to fall by it. The weights of a Normalised norm are derivatives of no dual value.
func (s *iterate) assertAscent(delta, before []float64) {
	if n, ok := s.norm.(Excluder); ok && n.Indefinite() || s.pinned {
		return
	}
	if _, ok := s.norm.(Normalised); ok {
		return
	}
	now, size, excess := smoothDual(s.norm, s.loss, s.alpha, s.V)
	was := slices.Clone(s.alpha)
	for k, i := range s.set {
		was[i] -= delta[k]
	}
	then, _, more := smoothDual(s.norm, s.loss, was, before)
	invariant.Check(!(now < then-ascentSlack*size-excess-more), "a step lowers the dual from %.17g to %.17g", then, now)
}

// smoothDual is lin(alpha) - 1/2 ||v||^2 in the smoothed norm, with the size of its terms and what
// a V_m below 0 would make of it.
func smoothDual(n Norm, l Loss, alpha, v []float64) (dual, size, excess float64) {
	theta := make([]float64, len(v))
	r := n.Weights(theta, v)
	lin := l.Linear(alpha)
	for m, t := range theta {
		excess += t * max(-v[m], 0) / 2
	}
	return lin - r*r/2, math.Abs(lin) + r*r/2, excess
}
