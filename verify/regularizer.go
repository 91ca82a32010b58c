package verify

import (
	"math"
	"slices"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// This file evaluates both sides of the norm that regularises a model. With importances e_m,
// ||w_m|| means ||w_m|| / e_m^(1/2) and ||v_m|| for e_m^(1/2) ||v_m||:
//
//	norm          penalty in the primal value                conjugate in the dual value
//	l_p           1/2 ||w||_p^2                              1/2 ||v||_p*^2
//	groups        the same with the q-norm of each group     the q*-norm of each group
//	elastic net   1/2 ((1-l) ||w||_1^2 + l ||w||_2^2)        elasticNetConjugate
//	squared norm  min_s ||w||_p^2/(2s) + lambda/2 s^2        ||v||_p*^4 / (8 lambda)
//	interactions  max_y>=0 y'w - 1/2 y'Ey                    1/2 v'Ev

// regularizer is the norm of one classifier.
type regularizer struct {
	m          *model.Model
	importance []float64 // e_m of each kernel; nil if all are 1
	groups     [][]int   // the kernels of each group; nil if the norm has no groups
	shared     bool      // the weights belong to several classifiers, and are judged with them
}

// newRegularizer returns the norm of the model m, whose kernels are the kernels of b. Fixed weights
// theta take the place of importances: with p = 2 the penalty is 1/2 sum_m ||w_m||^2 / theta_m.
func newRegularizer(m *model.Model, b *kernelspec.Bank) *regularizer {
	r := &regularizer{m: m, importance: b.Importance(m.Costs.Exponent())}
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

// scaled returns each x_k times the power of its importance. A kernel of importance 0 is not in
// the norm and gives 0. If there are no importances, it returns x itself.
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

// groupNorms returns what inner makes of the part of x in each group of kernels.
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

// primal returns the penalty of the primal value; w holds ||w_m|| of each kernel. The squared
// norm of theta is minimised over the length s of theta: the derivative -n^2/(2s^2) + lambda s
// vanishes at s = (n^2 / (2 lambda))^(1/3).
func (r *regularizer) primal(w []float64) float64 {
	m, w := r.m, r.scaled(w, -0.5)
	switch {
	case r.groups != nil:
		q := float64(m.GroupNorm)
		n := norm(r.groupNorms(w, func(part []float64) float64 { return norm(part, q) }), m.Norm)
		return n * n / 2
	case m.ElasticNet > 0:
		one, two := norm(w, 1), norm(w, 2)
		return ((1-m.ElasticNet)*one*one + m.ElasticNet*two*two) / 2
	case m.SquaredNorm > 0:
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

// conjugate returns the conjugate of the penalty, which the dual value subtracts; v holds
// ||v_m||.
func (r *regularizer) conjugate(v []float64) float64 {
	m, v := r.m, r.scaled(v, 0.5)
	switch {
	case r.groups != nil:
		q := conjugate(float64(m.GroupNorm))
		inner := func(part []float64) float64 { return norm(part, q) }
		n := norm(r.groupNorms(v, inner), conjugate(m.Norm))
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

// elasticNetConjugate returns the maximum over s >= 0 of s'v - 1/2 (1-l) (sum s)^2 - l/2 |s|^2,
// for 0 < l <= 1. It is attained with the k largest of v, for the last k that has s_k >= 0. There
//
//	s_j = (v_j - mean)/l + mean/(l + k(1-l))
//	max = 1/2 (sum (v_j - mean)^2/l + k mean^2/(l + k(1-l)))
//
// with the mean of those k. Mean and squares are updated by Welford's recurrence. A NaN in v is
// returned.
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
	mean, spread := 0.0, 0.0 // of the k largest: their mean, and the sum of squared deviations
	for i, x := range sorted {
		if math.IsNaN(x) {
			return x
		}
		k := float64(i + 1)
		step := x - mean
		mean += step / k
		spread += step * (x - mean)
		// s_k would be negative, and the s of all smaller v too: the k before were the last.
		if (x-mean)/l+mean/(l+k*(1-l)) < 0 {
			break
		}
		best = (spread/l + k*mean*mean/(l+k*(1-l))) / 2
	}
	return best
}
