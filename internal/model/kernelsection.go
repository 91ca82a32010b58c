package model

import (
	"bigmkl/internal/kernelspec"
)

// kernelSection is the widths of the kernels and their normalisation.
type kernelSection struct{ plainSection }

var _ section = kernelSection{}

func (kernelSection) tensors(m *Model) []field {
	return []field{
		{name: "normalizer", f64: &m.Normalization.Scale},
		{name: "normalizer_error", f64: &m.Normalization.StandardError},
		{name: "medians", f64: &m.Medians},
	}
}

func (kernelSection) check(m *Model, f *faults) {
	kernels := m.Len()
	f.each("medians", m.Medians, above0, "positive")
	n := m.Normalization
	f.check((n.Scale != nil) == (n.Kind == "multiplicative" ||
		kernelspec.Multiplicative.AskFor(m.Kernels)), "normalisation %s with %d factors",
		clip(n.Kind), len(n.Scale))
	f.check(n.Scale == nil || len(n.Scale) == kernels, "%d normalisers for %d kernels",
		len(n.Scale), kernels)
	f.each("normalizer", n.Scale, atLeast0, "finite and >= 0")
	f.check(n.StandardError == nil || len(n.StandardError) == kernels &&
		n.SampleSize > 0, "standard errors of normalisers without need")
	f.each("normalizer_error", n.StandardError, atLeast0, "finite and >= 0")
}
