package model

import (
	"slices"
	"strings"

	"bigmkl/internal/kernelspec"
)

// regularizerSection is the norm.
type regularizerSection struct{ plainSection }

var _ section = regularizerSection{}

func (regularizerSection) tensors(m *Model) []field {
	return []field{
		{name: "interaction", f64: &m.Interaction, columns: int64(m.Len())},
		{name: "weights", f64: &m.Weights},
	}
}

func (regularizerSection) join(m *Model, h *header) error {
	return h.fits("interaction", m.Len(), m.Len())
}

func (regularizerSection) check(m *Model, f *faults) {
	kernels, count := m.Len(), 0
	for _, set := range []bool{m.GroupNorm != 0, m.ElasticNet != 0, m.SquaredNorm != 0,
		m.Interaction != nil, m.Weights != nil} {
		if set {
			count++
		}
	}
	f.check(count <= 1, "%d norms at once", count)
	f.check(m.GroupNorm == 0 || m.GroupNorm >= 1, "norm %v within groups is below 1",
		float64(m.GroupNorm))
	f.check(m.ElasticNet == 0 || m.ElasticNet > 0 && m.ElasticNet < 1 &&
		m.Norm == 1, "elastic net %v at p = %v", m.ElasticNet, m.Norm)
	f.check(atLeast0(m.SquaredNorm), "squared norm %v", m.SquaredNorm)
	f.check(m.Interaction == nil || len(m.Interaction) == kernels*kernels &&
		m.Norm == 2, "%d interactions of %d kernels at p = %v", len(m.Interaction), kernels, m.Norm)
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
	f.check(m.Weights == nil || len(m.Weights) == kernels &&
		m.Norm == 2, "%d fixed weights of %d kernels at p = %v", len(m.Weights), kernels, m.Norm)
	f.each("weights", m.Weights, atLeast0, "finite and >= 0")
	grouped := slices.ContainsFunc(m.Kernels, namesGroup)
	if !grouped && m.Expansion().context.Regions > 0 {
		return // Regions are groups, of which a norm may make use.
	}
	f.check(grouped == (m.GroupNorm != 0), "groups of kernels without a norm within them, or a "+
		"norm without groups")
}

func namesGroup(s string) bool { return strings.Contains(kernelspec.Suffix(s), "group=") }
