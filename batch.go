package bigmkl

import (
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// batch holds rows to predict, scaled: densely, or by their non-zeros where the model's points were stored so.
type batch interface {
	put(at int, r dataset.Row) error
	// panel gives n rows from the given one, a multiple of 32, on. It is valid until the next put.
	panel(from, n int) kernels.Panel
}

type denseRows struct {
	scaling *dataset.Scaling
	row     []float32
	panels  []float32 // of 32 rows, [feature][32]
}

func (b *denseRows) put(at int, r dataset.Row) error {
	d, lane := len(b.row), at%simd.Width
	if err := b.scaling.Dense(r, b.row); err != nil {
		return err
	}
	first := (at - lane) * d
	if size := first + d*simd.Width; size > len(b.panels) {
		b.panels = append(b.panels, make([]float32, size-len(b.panels))...)
	}
	panel := b.panels[first:]
	if lane == 0 {
		clear(panel[:d*simd.Width])
	}
	for j, x := range b.row {
		panel[j*simd.Width+lane] = x
	}
	return nil
}

func (b *denseRows) panel(from, n int) kernels.Panel {
	d := len(b.row)
	return kernels.Panel{First: from, Len: n, Dense: b.panels[from*d : (from+simd.Width)*d]}
}

type sparseRows struct {
	scaling *dataset.Scaling
	d       int
	index   [][]int32
	value   [][]float32
	buffers []kernels.PanelBuffer
}

func (b *sparseRows) put(at int, r dataset.Row) error {
	if at == len(b.index) {
		b.index, b.value = append(b.index, nil), append(b.value, nil)
	}
	var err error
	b.index[at], b.value[at], err = b.scaling.Sparse(r, b.d, b.index[at][:0], b.value[at][:0])
	return err
}

func (b *sparseRows) panel(from, n int) kernels.Panel {
	at := from / simd.Width
	if at == len(b.buffers) {
		b.buffers = append(b.buffers, kernels.PanelBuffer{})
	}
	return kernels.PanelOfRows(from, b.d, b.index[from:from+n], b.value[from:from+n], &b.buffers[at])
}

// letterRows are sequences, which may be longer than those of the training.
type letterRows struct {
	alphabet dataset.Alphabet
	start    []int // of each row among
	index    []int32
	value    []float32
}

// mostLetters is how many letters of a batch there are, but for those of its last row.
const mostLetters = 1 << 20

// full tells that the next row has to wait for another batch.
func (b *letterRows) full() bool { return len(b.index) >= mostLetters }

func (b *letterRows) put(at int, r dataset.Row) error {
	if err := b.alphabet.Check(&r); err != nil {
		return err
	}
	if at == 0 {
		b.start, b.index, b.value = append(b.start[:0], 0), b.index[:0], b.value[:0]
	}
	b.index = append(b.index, r.Index...)
	for _, x := range r.Value {
		b.value = append(b.value, float32(x))
	}
	b.start = append(b.start, len(b.index))
	return nil
}

func (b *letterRows) panel(from, n int) kernels.Panel {
	index, value := make([][]int32, n), make([][]float32, n)
	for i := range n {
		first, last := b.start[from+i], b.start[from+i+1]
		index[i], value[i] = b.index[first:last], b.value[first:last]
	}
	return kernels.PanelOfSequences(from, index, value)
}

// unseenRows are rows of so many features that no kernel looks at.
type unseenRows int

func (d unseenRows) put(_ int, r dataset.Row) error {
	if n := len(r.Index); n > 0 && int(r.Index[n-1]) >= int(d) {
		return fail.New(fail.Input, "feature %d, but there are only %d", int64(r.Index[n-1])+1, int(d)).At(r.File, r.Line, 0)
	}
	return nil
}

func (d unseenRows) panel(from, n int) kernels.Panel { return kernels.Panel{First: from, Len: n} }

// vectors is the support vectors as a set, by their non-zeros if the points were stored so. They are numbered from 0: the rows
// of the training data are no measure of what is in the file, nor are the features where there are no vectors.
func (m *Model) vectors() *kernels.Set {
	set := &kernels.Set{IDs: make([]int32, len(m.Support)), Dense: m.Vectors}
	for i := range set.IDs {
		set.IDs[i] = int32(i)
	}
	if !m.Seen() {
		return set
	}
	set.Dim = m.Features
	if m.Store != dataset.LayoutSparse {
		return set
	}
	set.Sparse, set.Dense = true, nil
	for s := range m.Support {
		var index []int32
		var value []float32
		if m.Sparse != nil {
			index, value = m.Sparse.Row(s)
		} else { // as files had them once
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

// centredSum is sum_i alpha_i (x_i - shift).
func centredSum(points *kernels.Set, rows []int32, alpha []float64, shift []float32) []float64 {
	v, seen := make([]float64, len(shift)), make([]float64, len(shift)) // seen: sum_i alpha_i where x_ij is visited
	total := 0.0
	for i, a := range alpha {
		if rows != nil {
			i = int(rows[i])
		}
		points.Each(i, func(j int, x float32) {
			v[j] += a * (float64(x) - float64(shift[j]))
			seen[j] += a
		})
		total += a
	}
	for j, a := range seen {
		v[j] -= (total - a) * float64(shift[j])
	}
	return v
}
