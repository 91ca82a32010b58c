package model

import (
	"bigmkl/dataset"
	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
)

// fillSection is what models have of views that rows lack.
type fillSection struct{ plainSection }

var _ section = fillSection{}

func (fillSection) since(m *Model) int { return sinceIf(m.Fill != nil, featuresVersion) }

func (fillSection) tensors(m *Model) []field { return []field{{name: "fill", f64: &m.Fill}} }

func (fillSection) check(m *Model, f *faults) {
	f.check((m.Fill != nil) == kernelspec.NamesMissing(m.Kernels),
		"%d fillings of missing values beside kernels that say otherwise", len(m.Fill))
	if m.Fill == nil {
		return
	}
	f.check(len(m.Fill) == m.Len(), "%d fillings of missing values for %d kernels", len(m.Fill), m.Len())
	f.each("fill", m.Fill, float.Finite[float64], "finite")
	f.check(m.Features == dataset.Flags(m.Views)+len(m.Views),
		"%d features with flags for %d views", m.Features, len(m.Views))
	f.check(m.Family == nil && m.Stream == nil, "rows that lack views beside a family or a stream")
}
