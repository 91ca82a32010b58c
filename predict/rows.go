package predict

import (
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// rows holds the rows that are predicted together, scaled: densely, or by their non-zeros where the
// model's points were stored so.
type rows interface {
	// put takes a row as the row number at, which counts up from 0.
	put(at int, r dataset.Row) error
	// panel gives n rows from row from on, which is a multiple of 32. It is valid until the next put.
	panel(from, n int) kernels.Panel
	// bytes is what the rows take, with their panels.
	bytes() int64
}

var (
	_ rows = (*denseRows)(nil)
	_ rows = (*sparseRows)(nil)
	_ rows = (*letterRows)(nil)
	_ rows = unseenRows(0)
)

type denseRows struct {
	scaling *dataset.Scaling
	row     []float32
	panels  [][]float32 // of 32 rows, [feature][32]
	used    int
}

func (b *denseRows) put(at int, r dataset.Row) error {
	d, p, lane := len(b.row), at/simd.Width, at%simd.Width
	if err := b.scaling.Dense(r, b.row); err != nil {
		return err
	}
	if p == len(b.panels) {
		b.panels = append(b.panels, make([]float32, d*simd.Width))
	}
	b.used = p + 1
	panel := b.panels[p]
	if lane == 0 {
		clear(panel)
	}
	for j, x := range b.row {
		panel[j*simd.Width+lane] = x
	}
	return nil
}

func (b *denseRows) panel(from, n int) kernels.Panel {
	return kernels.Panel{First: from, Len: n, Dense: b.panels[from/simd.Width]}
}

func (b *denseRows) bytes() int64 { return int64(b.used) * int64(len(b.row)) * simd.Width * 4 }

type sparseRows struct {
	scaling *dataset.Scaling
	d       int
	most    int64 // bytes that buffers are kept up to from one batch to the next
	start   []int // of each row among
	index   []int32
	value   []float32
	buffers []kernels.PanelBuffer
	panels  int64 // bytes of those that are full
}

func (b *sparseRows) put(at int, r dataset.Row) error {
	if at == 0 {
		if b.held() > b.most {
			b.index, b.value, b.buffers = nil, nil, nil
		}
		b.start, b.index, b.value, b.panels = append(b.start[:0], 0), b.index[:0], b.value[:0], 0
	}
	if at > 0 && at%simd.Width == 0 {
		b.panels += kernels.PanelBytes(b.d, int64(len(b.index)-b.start[at-simd.Width]))
	}
	var err error
	b.index, b.value, err = b.scaling.Sparse(r, b.d, b.index, b.value)
	b.start = append(b.start, len(b.index))
	return err
}

// bytes counts lists twice, which grow by more than what they need.
func (b *sparseRows) bytes() int64 {
	last := (len(b.start) - 2) / simd.Width * simd.Width
	return 2*8*int64(len(b.index)) + b.panels + kernels.PanelBytes(b.d, int64(len(b.index)-b.start[last]))
}

// held is what is kept from batch to batch.
func (b *sparseRows) held() int64 {
	sum := 8 * int64(cap(b.index))
	for i := range b.buffers {
		sum += b.buffers[i].Bytes()
	}
	return sum
}

func (b *sparseRows) panel(from, n int) kernels.Panel {
	at := from / simd.Width
	if at == len(b.buffers) {
		b.buffers = append(b.buffers, kernels.PanelBuffer{})
	}
	index, value := lists(b.start[from:from+n+1], b.index, b.value)
	return kernels.PanelOfRows(from, b.d, index, value, &b.buffers[at])
}

// lists cuts the values of rows apart, which begin at start and end at the last of these.
func lists(start []int, all []int32, values []float32) (index [][]int32, value [][]float32) {
	for i, first := range start[:len(start)-1] {
		last := start[i+1]
		index, value = append(index, all[first:last:last]), append(value, values[first:last:last])
	}
	return index, value
}

// letterRows are sequences, which may be longer than those of the training.
type letterRows struct {
	alphabet dataset.Alphabet
	start    []int // of each row among
	index    []int32
	value    []float32
}

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
	index, value := lists(b.start[from:from+n+1], b.index, b.value)
	return kernels.PanelOfSequences(from, index, value)
}

func (b *letterRows) bytes() int64 { return 2 * 8 * int64(len(b.index)) }

// unseenRows are rows of so many features that no kernel looks at.
type unseenRows int

func (d unseenRows) put(_ int, r dataset.Row) error {
	if n := len(r.Index); n > 0 && int(r.Index[n-1]) >= int(d) {
		return fail.New(fail.Input, "feature %d, but there are only %d", int64(r.Index[n-1])+1, int(d)).At(r.File, r.Line, 0)
	}
	return nil
}

func (d unseenRows) panel(from, n int) kernels.Panel { return kernels.Panel{First: from, Len: n} }

func (d unseenRows) bytes() int64 { return 0 }
