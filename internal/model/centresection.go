package model

import (
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
)

// centreSection is the rows at whose mean kernels are centred.
type centreSection struct {
	read   Centre
	sparse Sparse // has its non-zeros.
}

var _ section = (*centreSection)(nil)

func (p *centreSection) since(m *Model) int {
	return max(sinceIf(m.Centre != nil, featuresVersion), sinceIf(m.Centre != nil && loseNewConstant(m.Kernels, m.Normalization.Kind), formatVersion))
}

// loseNewConstant reports whether a kernel has had centre_means without its constant since formatVersion. Files of a lower
// version, whose means have it, are rejected.
func loseNewConstant(specs []string, normalization string) bool {
	own := slices.DeleteFunc(slices.Clone(specs), func(spec string) bool {
		return !strings.HasPrefix(spec, kernelspec.Matern.String()) && !strings.HasPrefix(spec, kernelspec.Sigmoid.String())
	})
	return len(own) > 0 && Centred(own, normalization)
}

func (p *centreSection) tensors(m *Model) []field {
	if m.Centre != nil {
		p.read = *m.Centre
		if m.Centre.Sparse != nil {
			p.sparse = *m.Centre.Sparse
		}
	}
	return []field{
		{name: "centre_means", f64: &p.read.Means},
		{name: "centre_start", i64: &p.sparse.Start},
		{name: "centre_rows", i32: &p.read.Rows},
		{name: "centre_vectors", f32: &p.read.Vectors, columns: int64(m.Features)},
		{name: "centre_index", i32: &p.sparse.Index},
		{name: "centre_value", f32: &p.sparse.Value},
	}
}

func (p *centreSection) join(m *Model, h *header) error {
	if s := p.sparse; s.Start != nil || s.Index != nil || s.Value != nil {
		p.read.Sparse = &s
	}
	if c := p.read; c.Rows != nil || c.Means != nil || c.Vectors != nil || c.Sparse != nil {
		m.Centre = &c
	}
	return h.fits("centre_vectors", len(p.read.Rows), m.Features)
}

func (p *centreSection) check(m *Model, f *faults) {
	c := m.Centre
	f.check((c != nil) == Centred(m.Kernels, m.Normalization.Kind),
		"rows for the mean of kernels that are centred beside kernels that say otherwise")
	if c == nil {
		return
	}
	if !c.Fits(m) {
		f.check(false, "%d rows and %d means of kernels that are centred do not fit the model",
			len(c.Rows), len(c.Means))
		return
	}
	f.check(len(c.Rows) > 0, "no rows for the mean of kernels that are centred")
	f.check((c.Sparse != nil) == (m.Store == dataset.LayoutSparse),
		"rows for a mean that are not stored as the points were")
	f.each("centre_means", c.Means, float.Finite[float64], "finite")
	values := c.Vectors
	if c.Sparse != nil {
		values = c.Sparse.Value
	}
	i := slices.IndexFunc(values, func(x float32) bool { return !float.Finite(x) })
	f.check(i < 0, "value %d of the rows for a mean is not finite", i)
	for i := range values {
		feature := i % max(1, m.Features)
		if c.Sparse != nil {
			feature = int(c.Sparse.Index[i])
		}
		if m.Sequences != dataset.Numbers && !m.Sequences.Fits(feature, float64(values[i])) {
			f.check(false, "value %d of the rows for a mean stands for no letter", i)
			break
		}
	}
	f.check(!HasComponents(m.Task) && m.Family == nil && m.Stream == nil,
		"kernels that are centred in a task of components, beside a family or in a stream")
}
