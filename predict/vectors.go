package predict

import (
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/model"
	"bigmkl/kernels"
)

// points are the rows in a model.
type points struct{ *model.Model }

// supportSet returns the support vectors as a set, by their non-zeros if the points were stored so.
// They are numbered from 0 and not by the rows of the training data: a file may claim any rows, and
// memory must follow what it contains. For the same reason the set has no features if the file has
// no vectors.
func (m points) supportSet() *kernels.Set {
	set := &kernels.Set{IDs: make([]int32, len(m.Support)), Dense: m.Vectors}
	for i := range set.IDs {
		set.IDs[i] = int32(i)
	}
	if !m.Seen() {
		return set
	}
	set.Dim = m.Features
	if !m.sparse() {
		return set
	}
	set.Sparse, set.Dense = true, nil
	for s := range m.Support {
		var index []int32
		var value []float32
		if m.Sparse != nil {
			index, value = m.Sparse.Row(s)
		} else { // Files of older releases have sparse points laid out.
			n := nonzeros(m.Vector(s))
			index, value = make([]int32, 0, n), make([]float32, 0, n)
			m.Each(s, func(j int, x float32) {
				if x != 0 {
					index, value = append(index, int32(j)), append(value, x)
				}
			})
		}
		set.Index, set.Value = append(set.Index, index), append(set.Value, value)
	}
	return set
}

// nonzeros counts the features of a row that are not 0.
func nonzeros(row []float32) (n int) {
	for _, x := range row {
		if x != 0 {
			n++
		}
	}
	return n
}

// centreSet returns the rows at whose mean kernels are centred as a set, or nil if there are none or
// no kernel is evaluated. They have the numbers behind the numbers of the support vectors.
func (m points) centreSet() *kernels.Set {
	if m.Centre == nil || !m.Seen() {
		return nil
	}
	set := &kernels.Set{IDs: make([]int32, len(m.Centre.Rows)), Dim: m.Features, Dense: m.Centre.Vectors}
	for i := range set.IDs {
		set.IDs[i] = int32(len(m.Support) + i)
	}
	if s := m.Centre.Sparse; s != nil {
		set.Sparse = true
		for i := range set.IDs {
			index, value := s.Row(i)
			set.Index, set.Value = append(set.Index, index), append(set.Value, value)
		}
	}
	return set
}

// joined returns two sets of sparse points as one.
func joined(a, b *kernels.Set) *kernels.Set {
	return &kernels.Set{
		IDs: slices.Concat(a.IDs, b.IDs), Dim: a.Dim, Sparse: true,
		Index: slices.Concat(a.Index, b.Index), Value: slices.Concat(a.Value, b.Value),
	}
}

// sparse reports whether the points were stored by their non-zeros.
func (m points) sparse() bool { return m.Store == dataset.LayoutSparse }
