package predict

import (
	"bigmkl/dataset"
	"bigmkl/internal/simd"
	"bigmkl/kernels"
)

// rows holds the rows of a batch, scaled as the training scaled its points. There is an
// implementation for each way in which the support vectors are stored, because kernels need both in
// the same form.
type rows interface {
	// addRow adds a row as number at, which counts up from 0. Number 0 begins a new batch.
	addRow(at int, r dataset.Row) error
	// panel returns n rows that begin at row from, which is a multiple of 32. The panel is valid
	// until the next call of addRow.
	panel(from, n int) kernels.Panel
	// bytes returns the memory that the rows and their panels take.
	bytes() int64
}

var (
	_ rows = (*denseRows)(nil)
	_ rows = (*sparseRows)(nil)
	_ rows = (*letterRows)(nil)
	_ rows = unseenRows(0)
)

// denseRows holds rows with all their features. It fills the panels at once: nothing is copied
// twice.
type denseRows struct {
	scaling *dataset.Scaling
	// row is the latest row, scaled.
	row []float32
	// panels holds 32 rows each, [feature][32]. They stay from batch to batch, and the first used
	// of them belong to this one.
	panels [][]float32
	used   int
}

// addRow implements rows.
func (b *denseRows) addRow(at int, r dataset.Row) error {
	d, p, lane := len(b.row), at/simd.Width, at%simd.Width
	if err := b.scaling.Dense(r, b.row); err != nil {
		return err
	}
	if p == len(b.panels) {
		b.panels = append(b.panels, make([]float32, d*simd.Width))
	}
	b.used = p + 1
	panel := b.panels[p]
	// A panel that is not full must have zeros in its other lanes, and not rows of an earlier
	// batch.
	if lane == 0 {
		clear(panel)
	}
	for j, x := range b.row {
		panel[j*simd.Width+lane] = x
	}
	return nil
}

// panel implements rows.
func (b *denseRows) panel(from, n int) kernels.Panel {
	return kernels.Panel{First: from, Len: n, Dense: b.panels[from/simd.Width]}
}

// bytes implements rows.
func (b *denseRows) bytes() int64 { return int64(b.used) * int64(len(b.row)) * simd.Width * 4 }

// sparseRows holds rows by their non-zeros, and makes a panel when it is asked for one.
type sparseRows struct {
	scaling *dataset.Scaling
	// d is the number of features.
	d int
	// most is the number of bytes above which buffers are given up before the next batch.
	most int64
	// Row i has the non-zeros from start[i] to start[i+1] of index and value.
	start []int
	index []int32
	value []float32
	// buffers holds the memory of each panel, and panels counts the bytes of those that are full.
	buffers []kernels.PanelBuffer
	panels  int64
}

// addRow implements rows.
func (b *sparseRows) addRow(at int, r dataset.Row) error {
	if at == 0 {
		// One batch of unusually long rows must not cost memory for the rest of the run.
		if b.bufferBytes() > b.most {
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

// bytes counts the lists twice, because append makes them larger than they need to be.
func (b *sparseRows) bytes() int64 {
	last := (len(b.start) - 2) / simd.Width * simd.Width
	// The last panel is not full, and has not been counted in panels.
	open := kernels.PanelBytes(b.d, int64(len(b.index)-b.start[last]))
	return 2*8*int64(len(b.index)) + b.panels + open
}

// bufferBytes returns the memory that stays from batch to batch.
func (b *sparseRows) bufferBytes() int64 {
	sum := 8 * int64(cap(b.index))
	for i := range b.buffers {
		sum += b.buffers[i].Bytes()
	}
	return sum
}

// panel implements rows.
func (b *sparseRows) panel(from, n int) kernels.Panel {
	at := from / simd.Width
	// The share of a rank begins at any panel, so several buffers may be missing.
	for at >= len(b.buffers) {
		b.buffers = append(b.buffers, kernels.PanelBuffer{})
	}
	index, value := splitRows(b.start[from:from+n+1], b.index, b.value)
	return kernels.PanelOfRows(from, b.d, index, value, &b.buffers[at])
}

// splitRows returns the indices and the values of each row. Row i has those from start[i] to
// start[i+1].
func splitRows(start []int, all []int32, values []float32) (index [][]int32, value [][]float32) {
	for i, first := range start[:len(start)-1] {
		last := start[i+1]
		index, value = append(index, all[first:last:last]), append(value, values[first:last:last])
	}
	return index, value
}

// letterRows holds sequences, which may be longer than the sequences of the training. Letter j is
// feature j, and its value is the code of the letter.
type letterRows struct {
	alphabet dataset.Alphabet
	// Row i has the letters from start[i] to start[i+1] of index and value.
	start []int
	index []int32
	value []float32
}

// addRow implements rows. Letters are not scaled.
func (b *letterRows) addRow(at int, r dataset.Row) error {
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

// panel implements rows.
func (b *letterRows) panel(from, n int) kernels.Panel {
	index, value := splitRows(b.start[from:from+n+1], b.index, b.value)
	return kernels.PanelOfSequences(from, index, value)
}

// bytes implements rows.
func (b *letterRows) bytes() int64 { return 2 * 8 * int64(len(b.index)) }

// unseenRows replaces rows whose features no kernel looks at, because all kernels are matrices or
// there is no support vector. Its value is the number of features, which is all that is checked.
type unseenRows int

// addRow implements rows. A feature beyond the last is an error here as it is for other rows.
func (d unseenRows) addRow(_ int, r dataset.Row) error {
	if n := len(r.Index); n > 0 && int(r.Index[n-1]) >= int(d) {
		return r.ExtraFeature(r.Index[n-1], int(d))
	}
	return nil
}

// panel implements rows.
func (d unseenRows) panel(from, n int) kernels.Panel { return kernels.Panel{First: from, Len: n} }

// bytes implements rows.
func (d unseenRows) bytes() int64 { return 0 }
