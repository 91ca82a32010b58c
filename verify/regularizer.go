package verify

import (
	"math"
	"slices"

	"bigmkl/kernelspec"
	"bigmkl/model"
)

// regularizer is the norm of a model: its two sides, and what it says of theta.
type regularizer struct {
	m          *model.Model
	importance []float64 // of each kernel, nil for 1
	groups     [][]int   // kernels of each, nil if there are none
}

func newRegularizer(m *model.Model, b *kernelspec.Bank) *regularizer {
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
func (r *regularizer) groupNorms(x []float64, inner func(part []float64) float64) []float64 {
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
		n := norm(r.groupNorms(w, func(part []float64) float64 { return norm(part, float64(m.GroupNorm)) }), m.Norm)
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
		return interactionPenalty(m.Interaction, w)
	}
	n := norm(w, m.Norm)
	return n * n / 2
}

// conjugate is what the dual has of the vector of ||v_m||.
func (r *regularizer) conjugate(v []float64) float64 {
	m, v := r.m, r.scaled(v, 0.5)
	switch {
	case r.groups != nil:
		n := norm(r.groupNorms(v, func(part []float64) float64 { return norm(part, conjugate(float64(m.GroupNorm))) }), conjugate(m.Norm))
		return n * n / 2
	case m.ElasticNet > 0:
		return elasticNetConjugate(m.ElasticNet, v)
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
func elasticNetConjugate(l float64, v []float64) float64 {
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
