package verify

import (
	"math"
	"slices"

	"bigmkl/internal/spec"
	"bigmkl/model"
)

// regularizer is the norm of a model: its two sides, and what it says of theta.
type regularizer struct {
	m          *model.Model
	importance []float64 // of each kernel, nil for 1
	groups     [][]int   // kernels of each, nil if there are none
}

func newRegularizer(m *model.Model, b *spec.Bank) *regularizer {
	r := &regularizer{m: m, importance: b.Importance()}
	if m.Weights != nil {
		r.importance = m.Weights
	}
	if m.GroupNorm != 0 {
		of := b.Grouping()
		r.groups = make([][]int, slices.Max(of)+1)
		for k, j := range of {
			r.groups[j] = append(r.groups[j], k)
		}
	}
	return r
}

// scaled multiplies by the importances to a power. What has none has no part.
func (r *regularizer) scaled(x []float64, power float64) []float64 {
	if r.importance == nil {
		return x
	}
	out := make([]float64, len(x))
	for k, e := range r.importance {
		if e > 0 {
			out[k] = x[k] * math.Pow(e, power)
		}
	}
	return out
}

// outer is the norm over the groups of what inner makes of each.
func (r *regularizer) outer(x []float64, inner func(part []float64) float64) []float64 {
	out := make([]float64, len(r.groups))
	for j, group := range r.groups {
		part := make([]float64, len(group))
		for i, k := range group {
			part[i] = x[k]
		}
		out[j] = inner(part)
	}
	return out
}

// primal is the penalty on w, of the vector of ||w_m||: half the square of a norm, unless the norm of theta is in the objective.
func (r *regularizer) primal(w []float64) float64 {
	m, w := r.m, r.scaled(w, -0.5)
	switch {
	case r.groups != nil:
		n := norm(r.outer(w, func(part []float64) float64 { return norm(part, float64(m.GroupNorm)) }), m.Norm)
		return n * n / 2
	case m.ElasticNet > 0:
		one, two := norm(w, 1), norm(w, 2)
		return ((1-m.ElasticNet)*one*one + m.ElasticNet*two*two) / 2
	case m.SquaredNorm > 0: // at its least over the length s of theta: n^2/(2s) + lambda/2 s^2
		n := norm(w, m.Norm)
		s := math.Cbrt(n * n / (2 * m.SquaredNorm))
		if s == 0 {
			return 0
		}
		return n*n/(2*s) + m.SquaredNorm*s*s/2
	case m.Interaction != nil:
		return interacting(m.Interaction, w)
	}
	n := norm(w, m.Norm)
	return n * n / 2
}

// conjugate is what the dual has of the vector of ||v_m||.
func (r *regularizer) conjugate(v []float64) float64 {
	m, v := r.m, r.scaled(v, 0.5)
	switch {
	case r.groups != nil:
		n := norm(r.outer(v, func(part []float64) float64 { return norm(part, conjugate(float64(m.GroupNorm))) }), conjugate(m.Norm))
		return n * n / 2
	case m.ElasticNet > 0:
		return netted(m.ElasticNet, v)
	case m.SquaredNorm > 0:
		n := norm(v, conjugate(m.Norm))
		return n * n * n * n / (8 * m.SquaredNorm)
	case m.Interaction != nil:
		var sum neumaier
		for i, x := range v {
			for j, y := range v {
				sum.add(x * m.Interaction[i*len(v)+j] * y)
			}
		}
		return sum.value() / 2
	}
	n := norm(v, conjugate(m.Norm))
	return n * n / 2
}

// netted is the largest s'v - 1/2 (1-l) (sum s)^2 - l/2 |s|^2 over s >= 0. It is attained with the k largest of v, for the last k
// that has s_k >= 0: there the value is 1/2 (sum v^2 - (1-l)/(l + k (1-l)) (sum v)^2) / l.
func netted(l float64, v []float64) float64 {
	sorted := slices.Clone(v)
	slices.SortFunc(sorted, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	best := 0.0
	mean, spread := 0.0, 0.0 // of the first k, the latter a sum of squares (Welford)
	for i, x := range sorted {
		if math.IsNaN(x) {
			return x
		}
		k := float64(i + 1)
		step := x - mean
		mean += step / k
		spread += step * (x - mean)
		if (x-mean)/l+mean/(l+k*(1-l)) < 0 {
			break
		}
		best = (spread/l + k*mean*mean/(l+k*(1-l))) / 2
	}
	return best
}

// interacting is the largest y'w - 1/2 y'Ey over y >= 0, by ascent over coordinates sped up by conjugate gradients on those above 0:
// each turn is a sweep and then the maximum over the coordinates that are not at 0, as far as they stay above.
func interacting(e, w []float64) float64 {
	n := len(w)
	y, gain := make([]float64, n), slices.Clone(w) // gain = w - Ey
	largest := 0.0
	for _, x := range w {
		if !finite(x) {
			return math.NaN()
		}
		largest = max(largest, x)
	}
	move := func(k int, by float64) {
		y[k] += by
		for i := range gain {
			gain[i] -= by * e[k*n+i]
		}
	}
	for range turns {
		for k := range y {
			if by := max(gain[k]/e[k*n+k], -y[k]); by != 0 {
				move(k, by)
			}
		}
		ascend(e, y, gain)
		worst := 0.0
		for k, g := range gain {
			if g > 0 || y[k] > 0 {
				worst = max(worst, math.Abs(g))
			}
		}
		if worst <= stationary*largest {
			break
		}
	}
	var value neumaier
	for k, x := range y {
		value.add(x * (w[k] + gain[k]) / 2)
	}
	return value.value()
}

const (
	turns      = 1000
	stationary = 1e-13 // of the largest ||w_m||
)

// ascend takes conjugate gradient steps over the coordinates above 0 until one of them would fall below: there it stops.
func ascend(e, y, gain []float64) {
	n := len(y)
	var free []int
	for k, x := range y {
		if x > 0 {
			free = append(free, k)
		}
	}
	direction, image := make([]float64, n), make([]float64, n)
	square := 0.0
	for _, k := range free {
		direction[k] = gain[k]
		square += gain[k] * gain[k]
	}
	start := square
	for range 3 * len(free) {
		if square <= 1e-32*start || square == 0 {
			return
		}
		curve := 0.0
		for i := range n {
			s := 0.0
			for _, k := range free {
				s += e[i*n+k] * direction[k]
			}
			image[i] = s
			curve += direction[i] * s
		}
		length, blocked := square/curve, false
		for _, k := range free {
			if direction[k] < 0 && y[k]+length*direction[k] < 0 {
				length, blocked = -y[k]/direction[k], true
			}
		}
		if !(length >= 0) {
			return
		}
		for _, k := range free {
			y[k] = max(0, y[k]+length*direction[k])
		}
		for i := range gain {
			gain[i] -= length * image[i]
		}
		if blocked {
			return
		}
		next := 0.0
		for _, k := range free {
			next += gain[k] * gain[k]
		}
		for _, k := range free {
			direction[k] = gain[k] + next/square*direction[k]
		}
		square = next
	}
}

// checkTheta: every weight is a number that is not negative, and together they are what the norm says.
func (r *regularizer) checkTheta(f *faults) {
	m, zeros := r.m, 0
	for k, t := range m.Theta {
		if !finite(t) || t < 0 {
			f.add("theta", "theta[%d] is %v", k, t)
			return
		}
		if t == 0 {
			zeros++
		}
	}
	if zeros == len(m.Theta) {
		return
	}
	theta := r.scaled(m.Theta, -1)
	switch {
	case m.Weights != nil:
		for k, t := range m.Theta {
			if t != 0 && t != m.Weights[k] {
				f.add("norm", "theta[%d] is %v, its fixed weight %v", k, t, m.Weights[k])
			}
		}
	case m.ElasticNet > 0:
		r.checkNet(theta, f)
	case m.Interaction != nil:
		if !definite(m.Interaction, len(theta)) {
			f.add("norm", "the matrix of interactions is not positive definite")
		}
		for k, t := range theta {
			if least := m.Interaction[k*len(theta)+k]; t != 0 && t < least*(1-exact) {
				f.add("norm", "theta[%d] is %v, below the entry %v of the matrix", k, t, least)
			}
		}
	case m.SquaredNorm > 0: // see checkLength
	case r.groups != nil:
		r.checkGroups(theta, f)
	default:
		r.checkBlock(theta, f)
	}
}

// checkBlock: sum theta_m^(p/(2-p)) = 1; for p = 2 each is 1. The weights of p above 2 are smoothed, which keeps the sum. A kernel
// without norm reports 0; above 2 its part of the sum is missing, which is the smallest of all.
func (r *regularizer) checkBlock(theta []float64, f *faults) {
	p := r.m.Norm
	if p == 2 {
		for k, t := range theta {
			if t != 0 && math.Abs(t-1) > exact || r.importance == nil && t != 0 && t != 1 {
				f.add("norm", "theta[%d] is %v, for p = 2 all are 1", k, t)
			}
		}
		return
	}
	power := weightPower(p)
	var sum neumaier
	least, zeros := math.Inf(1), 0
	for _, t := range theta {
		if t == 0 {
			zeros++
			continue
		}
		part := math.Pow(t, power)
		sum.add(part)
		least = min(least, part)
	}
	missing := 0.0
	if p > 2 {
		missing = float64(zeros) * least
	}
	slack := exact * max(1, math.Abs(power))
	if s := sum.value(); !(s <= 1+slack && s >= 1-slack-missing) {
		f.add("norm", "sum theta^%.6g is %.9g, not 1", power, s)
	}
}

// weightPower is the exponent p/(2-p) of the norm of theta.
func weightPower(p float64) float64 {
	if math.IsInf(p, 1) {
		return -1
	}
	return p / (2 - p)
}

// checkGroups: s_j is the norm of the weights of group j in the exponent q/(2-q), and that of s in p/(2-p) is 1.
func (r *regularizer) checkGroups(theta []float64, f *faults) {
	p, q := r.m.Norm, float64(r.m.GroupNorm)
	low := weightLength(r.outer(theta, func(part []float64) float64 { return weightLength(part, q, false) }), p, false)
	high := weightLength(r.outer(theta, func(part []float64) float64 { return weightLength(part, q, true) }), p, true)
	slack := exact
	for _, x := range []float64{p, q} {
		if x != 2 {
			slack *= max(1, math.Abs(1/weightPower(x)))
		}
	}
	if !(low <= 1+slack && high >= 1-slack) {
		f.add("norm", "the weights of the groups have a norm of %.9g, not 1", low)
	}
}

// weightLength is the norm of weights in the exponent p/(2-p); for p = 2 it is the largest. Those of 0 have been left out of it, or,
// above 2, may be the weights of kernels without norm, which report 0: then they are above all others, and the norm lies between
// that without them and that with as many of the largest.
func weightLength(x []float64, p float64, without bool) float64 {
	top, zeros := 0.0, 0
	for _, t := range x {
		top = max(top, t)
		if t == 0 {
			zeros++
		}
	}
	if p == 2 || top == 0 {
		return top
	}
	power := weightPower(p)
	var sum neumaier
	for _, t := range x {
		if t > 0 {
			sum.add(math.Pow(t/top, power))
		}
	}
	if !without && p > 2 {
		sum.add(float64(zeros))
	}
	return top * math.Pow(sum.value(), 1/power)
}

// checkNet: the shares b_m = ||w_m|| / sum ||w|| are theta (1 - l) / (1 - l theta) and sum to 1.
func (r *regularizer) checkNet(theta []float64, f *faults) {
	l := r.m.ElasticNet
	var sum neumaier
	slack := exact
	for k, t := range theta {
		left := 1 - l*t
		if left <= 0 {
			f.add("norm", "theta[%d] is %v, not below %v", k, t, 1/l)
			return
		}
		share := t * (1 - l) / left
		sum.add(share)
		slack += share * inDouble * roundings / left
	}
	if s := sum.value(); !(math.Abs(s-1) <= slack) {
		f.add("norm", "the shares of the elastic net sum to %.9g, not 1", s)
	}
}

// length is what the norm of theta has to be where it is in the objective: ||v||^2 / (2 lambda).
func (r *regularizer) length(v []float64) float64 {
	n := norm(r.scaled(v, 0.5), conjugate(r.m.Norm))
	return n * n / (2 * r.m.SquaredNorm)
}

// checkLength: smoothed weights have been brought to that norm, too.
func (r *regularizer) checkLength(e *evidence) {
	m := r.m
	theta := r.scaled(m.Theta, -1)
	if m.SquaredNorm == 0 || slices.Max(theta) == 0 {
		return
	}
	const slack = conceded
	short, long := weightLength(theta, m.Norm, false), weightLength(theta, m.Norm, true)
	if !(short <= e.length.high*(1+slack) && long >= e.length.low*(1-slack)) {
		e.faults.add("norm", "theta has a norm of %.9g, these data give %.9g", short, (e.length.low+e.length.high)/2)
	}
}

// definite tells whether E is positive definite: by Cholesky's method, row by row.
func definite(e []float64, n int) bool {
	l := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			s := e[i*n+j]
			for k := range j {
				s -= l[i*n+k] * l[j*n+k]
			}
			if i != j {
				l[i*n+j] = s / l[j*n+j]
				continue
			}
			if !(s > 0) {
				return false
			}
			l[i*n+i] = math.Sqrt(s)
		}
	}
	return true
}
