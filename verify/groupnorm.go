package verify

import (
	"math"
	"slices"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

var _ penalty = (*groupNorm)(nil)

// groupNorm is the norm p over groups of kernels, with the norm q in each group.
type groupNorm struct {
	p, q   float64
	groups [][]int // the kernels of each group
}

func newGroupNorm(m *model.Model, b *kernelspec.Bank) *groupNorm {
	of := b.Grouping()
	n := &groupNorm{p: m.Norm, q: float64(m.GroupNorm), groups: make([][]int, slices.Max(of)+1)}
	for k, j := range of {
		n.groups[j] = append(n.groups[j], k)
	}
	return n
}

// norms returns what inner makes of the part of x in each group of kernels.
func (n *groupNorm) norms(x []float64, inner func(part []float64) float64) []float64 {
	out := make([]float64, len(n.groups))
	for j, group := range n.groups {
		part := make([]float64, len(group))
		for i, k := range group {
			part[i] = x[k]
		}
		out[j] = inner(part)
	}
	return out
}

// square returns half of the square of the norm with the exponents p and q.
func (n *groupNorm) square(x []float64, p, q float64) float64 {
	length := norm(n.norms(x, func(part []float64) float64 { return norm(part, q) }), p)
	return length * length / 2
}

func (n *groupNorm) primal(w []float64) float64 { return n.square(w, n.p, n.q) }

func (n *groupNorm) conjugate(v []float64) float64 {
	return n.square(v, conjugate(n.p), conjugate(n.q))
}

// checkTheta checks the weights of groups: s_j is the norm of the weights of group j in the
// exponent q/(2-q), and the norm of s in the exponent p/(2-p) has to be 1.
func (n *groupNorm) checkTheta(theta []float64, f *faults) {
	p, q := n.p, n.q
	// The least and the largest value that weights reported as 0 leave open.
	length := func(without bool) float64 {
		inner := func(part []float64) float64 { return weightNorm(part, q, without) }
		return weightNorm(n.norms(theta, inner), p, without)
	}
	low, high := length(false), length(true)
	// The exponents multiply the relative error of a weight.
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
