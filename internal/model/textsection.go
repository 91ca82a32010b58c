package model

import (
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/kernelspec"
)

// textSection is the strings of a model.
type textSection struct{ plainSection }

var _ section = textSection{}

// check rejects strings that JSON would change silently, and those that would not stay on one
// line.
func (textSection) check(m *Model, f *faults) {
	all := slices.Concat([]string{m.Positive, m.Negative}, m.PositiveLabels, m.Classes)
	for _, v := range m.Views {
		all = append(all, v.Name)
	}
	for _, s := range append(all, m.Kernels...) {
		if !labeltext.Printable(s) {
			f.check(false, "%s is no text", clip(s))
			return
		}
	}
}

// expansionSection is what the kernels and their features are expanded from.
type expansionSection struct{ plainSection }

var _ section = expansionSection{}

func (expansionSection) tensors(m *Model) []field {
	return []field{
		{name: "scaling_factor", f64: &m.Scaling.Factor},
		{name: "scaling_offset", f64: &m.Scaling.Offset},
		{name: "imputed", f64: &m.Scaling.Fill},
	}
}

func (expansionSection) check(m *Model, f *faults) {
	f.check(len(m.Views) <= dataset.MaxViews, "%d views", len(m.Views))
	kernels, medians, err := kernelspec.Count(m.Kernels, m.Expansion().context)
	if err != nil {
		f.check(false, "%v", err)
	} else {
		f.check(medians == len(m.Medians), "%d medians for kernels that need %d", len(m.Medians),
			medians)
		f.check(kernels == m.Len(), "%d weights for %d kernels", m.Len(), kernels)
	}
	if m.Features >= 0 && m.Features <= math.MaxInt32 {
		if err := m.Scaling.Validate(m.Features); err != nil {
			f.check(false, "scaling: %v", err)
		}
	}
}
