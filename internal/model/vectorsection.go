package model

import (
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/float"
)

// vectorSection is the support vectors.
type vectorSection struct {
	// sparse holds their non-zeros.
	sparse Sparse
}

var _ section = (*vectorSection)(nil)

func (p *vectorSection) since(m *Model) int { return sinceIf(m.Sparse != nil, sparseVersion) }

func (p *vectorSection) tensors(m *Model) []field {
	if m.Sparse != nil {
		p.sparse = *m.Sparse.alone()
	}
	return []field{
		{name: "vector_start", i64: &p.sparse.Start},
		{name: "support", i32: &m.Support},
		{name: "vectors", f32: &m.Vectors, rows: m.Rows, count: len(m.Support),
			columns: int64(m.Features)},
		{name: "vector_index", i32: &p.sparse.Index},
		{name: "vector_value", f32: &p.sparse.Value},
	}
}

func (p *vectorSection) join(m *Model, h *header) error {
	if s := p.sparse; s.Start != nil || s.Index != nil || s.Value != nil {
		m.Sparse = &s
	}
	return h.fits("vectors", len(m.Support), m.Features)
}

func (p *vectorSection) check(m *Model, f *faults) {
	support := len(m.Support)
	last := int32(-1)
	for i, row := range m.Support {
		if row <= last || int(row) >= m.Points {
			f.check(false, "support[%d] is %d, not ascending below %d", i, row, m.Points)
			break
		}
		last = row
	}
	if m.Vectors != nil {
		f.check(m.Features >= 0 && len(m.Vectors) == support*m.Features,
			"%d numbers for %d support vectors of %d features",
			len(m.Vectors), support, m.Features)
		i := slices.IndexFunc(m.Vectors, func(x float32) bool { return !float.Finite(x) })
		f.check(i < 0, "vectors[%d] is not finite", i)
		i = 0
		for m.Sequences != dataset.Numbers && i < len(m.Vectors) &&
			m.Sequences.Fits(i%max(1, m.Features), float64(m.Vectors[i])) {
			i++
		}
		f.check(m.Sequences == dataset.Numbers || i == len(m.Vectors),
			"vectors[%d] stands for no letter", i)
	}
	if m.Sparse != nil {
		p.checkSparse(m, f)
	}
	if slices.ContainsFunc(m.Kernels, NeedsFeatures) {
		f.check(m.Features > 0, "kernels of no features")
		f.check(m.HasVectors() || support == 0, "the support vectors are missing")
	}
}

// checkSparse checks support vectors that are stored by their non-zeros.
func (p *vectorSection) checkSparse(m *Model, f *faults) {
	v := m.Sparse.alone()
	f.check(m.Store == dataset.LayoutSparse &&
		m.Vectors == nil, "support vectors by their non-zeros where points were not stored so")
	if !v.bounds(len(m.Support)) {
		f.check(false, "%d rows and %d features of %d values for %d support vectors, or rows "+
			"out of order", len(v.Start)-1, len(v.Index), len(v.Value), len(m.Support))
		return
	}
	for s := range m.Support {
		if index, _ := v.Row(s); !Ascending(index, m.Features) {
			f.check(false, "the features of support vector %d are not ascending below %d", s+1,
				m.Features)
			break
		}
	}
	i := slices.IndexFunc(v.Value, func(x float32) bool { return !float.Finite(x) || x == 0 })
	f.check(i < 0, "vector_value[%d] is not finite and other than 0", i)
	i = 0
	for m.Sequences != dataset.Numbers && i < len(v.Value) &&
		m.Sequences.Fits(int(v.Index[i]), float64(v.Value[i])) {
		i++
	}
	f.check(m.Sequences == dataset.Numbers || i == len(v.Value),
		"vector_value[%d] stands for no letter", i)
}
