package model

import (
	"math"
	"slices"
	"strings"

	"bigmkl/kernelspec"
)

// Regularizer is what the norm was if not the block norm p alone: at most one of these is set.
type Regularizer struct {
	GroupNorm   Norm      `json:"group_norm,omitzero"`   // q within the groups of kernels that the specifications name, p over the groups
	ElasticNet  float64   `json:"elastic_net,omitzero"`  // lambda of 1/2 (1 - lambda) (sum ||w_m||)^2 + lambda/2 sum ||w_m||^2; p is 1
	SquaredNorm float64   `json:"squared_norm,omitzero"` // lambda of the squared norm of theta in the objective, which p goes with
	Interaction []float64 `json:"-"`                     // E, M x M, row-major; p is 2
	Weights     []float64 `json:"-"`                     // of each kernel, fixed; p is 2
}

// Norm is an exponent, in JSON a number or the word "inf".
type Norm = jsonNorm

// Coupled tells whether a matrix has entries beside its diagonal.
func Coupled(e []float64) bool {
	n := int(math.Round(math.Sqrt(float64(len(e)))))
	for i, x := range e {
		if x != 0 && i/n != i%n {
			return true
		}
	}
	return false
}

// Delicate tells whether the norm has weights without bound, for which single precision will not do.
func (m *Model) Delicate() bool { return m.Norm > 2 || m.GroupNorm > 2 || Coupled(m.Interaction) }

func (m *Model) checkRegularizer(f *faults) {
	kernels, count := m.Len(), 0
	for _, set := range []bool{m.GroupNorm != 0, m.ElasticNet != 0, m.SquaredNorm != 0, m.Interaction != nil, m.Weights != nil} {
		if set {
			count++
		}
	}
	f.check(count <= 1, "%d norms at once", count)
	f.check(m.GroupNorm == 0 || m.GroupNorm >= 1, "norm %v within groups is below 1", float64(m.GroupNorm))
	f.check(m.ElasticNet == 0 || m.ElasticNet > 0 && m.ElasticNet < 1 && m.Norm == 1, "elastic net %v at p = %v", m.ElasticNet, m.Norm)
	f.check(atLeast0(m.SquaredNorm), "squared norm %v", m.SquaredNorm)
	f.check(m.Interaction == nil || len(m.Interaction) == kernels*kernels && m.Norm == 2, "%d interactions of %d kernels at p = %v", len(m.Interaction), kernels, m.Norm)
	f.each("interaction", m.Interaction, atLeast0, "finite and >= 0")
	if len(m.Interaction) == kernels*kernels {
		for i := range kernels {
			for j := range i {
				if m.Interaction[i*kernels+j] != m.Interaction[j*kernels+i] {
					f.check(false, "interactions %d and %d are not symmetric", i, j)
					return
				}
			}
		}
	}
	f.check(m.Weights == nil || len(m.Weights) == kernels && m.Norm == 2, "%d fixed weights of %d kernels at p = %v", len(m.Weights), kernels, m.Norm)
	f.each("weights", m.Weights, atLeast0, "finite and >= 0")
	grouped := slices.ContainsFunc(m.Kernels, namesGroup)
	f.check(grouped == (m.GroupNorm != 0), "groups of kernels without a norm within them, or a norm without groups")
}

func namesGroup(s string) bool { return strings.Contains(kernelspec.Suffix(s), "group=") }

// scalars is what is recorded as text.
func (r Regularizer) scalars() Regularizer {
	r.Interaction, r.Weights = nil, nil
	return r
}

// EquivalentC is the C with which the block norm alone, its weights of norm 1, has the same solution: C times the norm of theta
// where that is in the objective. importance: that of each kernel, nil for 1.
func (m *Model) EquivalentC(importance []float64) float64 {
	if m.SquaredNorm == 0 {
		return m.C
	}
	top, power := 0.0, m.Norm/(2-m.Norm)
	if math.IsInf(m.Norm, 1) {
		power = -1
	}
	theta := slices.Clone(m.Theta)
	for k, e := range importance {
		theta[k] /= e
	}
	top = slices.Max(theta)
	if m.Norm == 2 || top == 0 {
		return m.C * top
	}
	sum := 0.0
	for _, t := range theta {
		if t > 0 {
			sum += math.Pow(t/top, power)
		}
	}
	return m.C * top * math.Pow(sum, 1/power)
}
