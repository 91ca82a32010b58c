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
	kinds := m.Regularizer.Kinds()
	f.check(len(kinds) <= 1, "%d norms at once", len(kinds))
	for _, k := range kinds {
		f.check(k.Exponent == 0 || m.Norm == k.Exponent, "%s at p = %v", k.Name, m.Norm)
		k.check(m, f)
	}
	grouped := slices.ContainsFunc(m.Kernels, namesGroup)
	if !grouped && m.Expansion().context.Regions > 0 {
		return // Regions are groups, of which a norm may make use.
	}
	f.check(grouped == (m.GroupNorm != 0), "groups of kernels without a norm within them, or a "+
		"norm without groups")
}

func namesGroup(s string) bool { return strings.Contains(kernelspec.Suffix(s), "group=") }
