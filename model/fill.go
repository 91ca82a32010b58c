package model

import (
	"bigmkl/dataset"
	"bigmkl/internal/float"
	"bigmkl/kernelspec"
)

// PlainFeatures returns the number of features of a row except for the flags of views that it may
// lack.
func (m *Model) PlainFeatures() int {
	if m.Fill == nil {
		return m.Features
	}
	return max(0, m.Features-len(m.Views))
}

// WithFlags returns a source of the rows of src as the model takes them: with the flags of the views
// that they lack, if the model has kernels for that, or projected. missing states which, and training whether
// the rows are the rows of the training.
func (m *Model) WithFlags(src dataset.Source, missing *dataset.Missing, training bool) dataset.Source {
	if p := m.Family.Projection(); p != nil {
		return p.Source(src)
	}
	if m.Fill == nil {
		return m.Occurring.Number(src)
	}
	return dataset.WithFlags(src, m.Views, missing, training)
}

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
