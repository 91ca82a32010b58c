package chunking

import (
	"math"
	"slices"
)

// variables are the dual variables of a problem with the loss that bounds them. Whatever changes
// alpha keeps two invariants: every variable is in its box, and all of them sum to total.
type variables struct {
	loss Loss
	// The loss as one of the two: the other is nil.
	separable  Separable
	collective Collective

	kink  float64   // the largest of the loss, see Kinked; 0 if it has none
	kinks []float64 // of each variable; nil if all are alike
	total float64   // what alpha sums to, see Summed
	alpha []float64
}

// newVariables gives n variables, all of them 0.
func newVariables(n int, loss Loss) variables {
	v := variables{alpha: make([]float64, n)}
	v.setLoss(loss)
	if l, ok := loss.(Kinked); ok {
		v.takeKinks(l)
	}
	if l, ok := loss.(Summed); ok {
		v.total = l.Sum()
	}
	return v
}

// takeKinks takes the kink of each variable. Nearly all losses have the same for all of them, which then takes no memory.
func (v *variables) takeKinks(l Kinked) {
	alike := true
	for i := range v.alpha {
		alike = alike && l.Kink(i) == l.Kink(0)
		v.kink = max(v.kink, l.Kink(i))
	}
	if alike {
		return
	}
	v.kinks = make([]float64, len(v.alpha))
	for i := range v.kinks {
		v.kinks[i] = l.Kink(i)
	}
}

// kinkOf is the kink of variable i.
func (v *variables) kinkOf(i int) float64 {
	if v.kinks != nil {
		return v.kinks[i]
	}
	return v.kink
}

// setLoss sets the loss, whose bounds, kink and sum stay.
func (v *variables) setLoss(loss Loss) {
	v.loss = loss
	v.separable, _ = loss.(Separable)
	v.collective, _ = loss.(Collective)
}

// Linear gives lin(alpha).
func (v *variables) Linear() float64 { return v.loss.Linear(v.alpha) }

// atStart reports whether all variables are 0.
func (v *variables) atStart() bool {
	for _, a := range v.alpha {
		if a != 0 {
			return false
		}
	}
	return true
}

// alike reports whether, at alpha = 0, all points that can grow violate the optimality conditions
// equally, and so do all that can shrink. Then no point is a better choice than another.
func (v *variables) alike() bool {
	_, curved := v.loss.(Curved)
	return v.kink == 0 && !curved
}

// bound is the bound of variable i in the direction of a.
func (v *variables) bound(i int, a float64) float64 {
	low, high := v.loss.Box(i)
	if a < 0 {
		return low
	}
	return high
}

// take sets alpha to the nearest values in the box and evens out their sum.
func (v *variables) take(alpha []float64) {
	// Contrasts have a sum for each point and for each column. Only what another solver of the same
	// problem has found is taken, as it is.
	if _, ok := v.loss.(Contrasts); ok {
		copy(v.alpha, alpha)
		return
	}
	sum := 0.0
	for i, a := range alpha {
		low, high := v.loss.Box(i)
		v.alpha[i] = min(max(a, low), high)
		sum += v.alpha[i]
	}
	if v.collective != nil {
		v.comeInside()
		return
	}
	v.even(sum - v.total)
}

// comeInside brings alpha into the domain of a Collective loss: nearer to 0 as far as it has to, or, if that is not enough, to the
// response to the function 0. So 0 is the start of a run that has no other.
func (v *variables) comeInside() {
	if !v.atStart() {
		reach := v.collective.Reach(make([]float64, len(v.alpha)), v.alpha)
		for i := range v.alpha {
			v.alpha[i] *= min(1, nearest*reach)
		}
		if v.feasible(v.alpha, 0) {
			return
		}
	}
	v.collective.Respond(make([]float64, len(v.alpha)), v.alpha)
}

// even lowers the sum of alpha by the given amount, which may be negative. It takes from the
// variables with the sign of the amount: first from the largest of those strictly inside their box,
// so few move, then from the others one after the other, so most of them stay at their bounds. If
// there is nothing left to take and total is not 0, other variables move the other way.
func (v *variables) even(sum float64) {
	free := func(i int) bool {
		low, high := v.loss.Box(i)
		return low < v.alpha[i] && v.alpha[i] < high && v.alpha[i]*sum > 0
	}
	var inside []float64
	// What can be taken from variables inside their box is only as much as brings them to 0.
	for i, a := range v.alpha {
		if free(i) {
			inside = append(inside, math.Abs(a))
		}
	}
	level := lowered(inside, math.Abs(sum))
	for i, a := range v.alpha {
		if free(i) && math.Abs(a) > level {
			v.alpha[i] = math.Copysign(level, a)
			sum -= a - v.alpha[i]
		}
	}
	for i, a := range v.alpha {
		if a*sum > 0 {
			take := a
			if math.Abs(a) > math.Abs(sum) {
				take = sum
			}
			v.alpha[i] -= take
			sum -= take
		}
	}
	if v.total == 0 {
		return // what is left is rounding
	}
	for i := range v.alpha {
		low, high := v.loss.Box(i)
		move := min(max(-sum, low-v.alpha[i]), high-v.alpha[i])
		if sum != 0 && move*sum < 0 {
			v.alpha[i] += move
			sum += move
		}
	}
}

// lowered gives the level to which the largest of some positive numbers have to be cut for their
// sum to fall by the given amount. The level is at least 0. The numbers are sorted in place.
func lowered(x []float64, by float64) float64 {
	slices.Sort(x)
	level := math.Inf(1)
	for k := len(x) - 1; k >= 0 && by > 0; k-- {
		next, count := 0.0, float64(len(x)-k)
		if k > 0 {
			next = x[k-1]
		}
		level = max(next, x[k]-by/count)
		by -= count * (x[k] - next)
	}
	return level
}

// balance takes what rounding and snapping to bounds have left of the sum of alpha from the
// variable of the working set that is furthest from its bounds, and corrects delta, the change on
// the set. A variable at a bound is never touched: a hair off it, it would count as a violation.
func (v *variables) balance(set []int, delta []float64) {
	sum := -v.total
	for _, a := range v.alpha {
		sum += a
	}
	// The room has to be more than twice the sum, so the variable stays inside its box.
	best, most := -1, 2*math.Abs(sum)
	for k, i := range set {
		low, high := v.loss.Box(i)
		room := min(v.alpha[i]-low, high-v.alpha[i])
		if v.kink != 0 {
			room = min(room, math.Abs(v.alpha[i]))
		}
		if room > most {
			best, most = k, room
		}
	}
	if best >= 0 {
		v.alpha[set[best]] -= sum
		delta[best] -= sum
	}
}

// unbalanced is the share of sum |alpha_i| from which on the sum of alpha is evened out after a
// step over all points. Less is what rounding of the sum itself comes to.
const unbalanced = 1e-12

// rebalance evens out the sum of alpha where the roundings of many steps over all points have moved
// it. The direction takes back what is left of the sum, but a step may be a tiny part of it.
func (v *variables) rebalance() {
	sum, size := -v.total, 0.0
	for _, a := range v.alpha {
		sum += a
		size += math.Abs(a)
	}
	if math.Abs(sum) > unbalanced*size {
		v.even(sum)
	}
}

// thin is the share of the largest |alpha_i| of a working set below which a variable counts as 0.
const thin = 1e-12

// hair is how far from a kink a variable of the working set counts as at it; it is 0 without a
// kink. The step to the kink is seldom taken whole, and a variable that was left just behind it
// would violate the optimality conditions by all of the kink, however little it is.
func (v *variables) hair(set []int) float64 {
	if v.kink == 0 {
		return 0
	}
	most := 0.0
	for _, i := range set {
		most = max(most, math.Abs(v.alpha[i]))
	}
	return thin * most
}

// feasibleSum is the share of sum |alpha_i| by which rounding may have moved the sum of alpha.
const feasibleSum = 1e-8

// feasible reports whether alpha has a number for each point, in its box, and the sum that it
// should. The size of others that the rounding of the sum may come from can be given besides.
func (v *variables) feasible(alpha []float64, size float64) bool {
	if len(alpha) != len(v.alpha) {
		return false
	}
	sum := -v.total
	for i, a := range alpha {
		if low, high := v.loss.Box(i); !(low <= a && a <= high) {
			return false
		}
		sum += a
		size += math.Abs(a)
	}
	if v.collective != nil && !v.collective.Slopes(alpha, make([]float64, len(alpha))) {
		return false
	}
	return math.Abs(sum) <= feasibleSum*size
}

// wayOf is the size of what alpha has passed on its way from 0 to an optimum, as the rounding of its sum
// is: with a curved loss that of the variables without kernels. Where these explain all that there is to
// explain, alpha ends as that rounding.
func (v *variables) wayOf() float64 {
	curved, ok := v.loss.(Curved)
	if !ok {
		return 0
	}
	curvature := curved.Curvature
	if joint, ok := v.loss.(Joint); ok {
		curvature = joint.Identity // The loss itself has none.
	}
	size := 0.0
	for i := range v.alpha {
		c := curvature(i)
		if sided, ok := v.loss.(Sided); ok {
			c = min(c, sided.Below(i))
		}
		if c > 0 {
			size += math.Abs(v.separable.Slope(i, 0)) / c
		}
	}
	return feasibleWay / feasibleSum * size
}

// feasibleWay is feasibleSum of the way.
const feasibleWay = 1e-12
