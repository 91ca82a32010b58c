package packed

import (
	"encoding/binary"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/float"
)

// rows reads the entries of the rows of a file.
type rows interface {
	// next sets index and value of row i, which counts up from 0.
	next(i int, row *dataset.Row) error
}

// newRows returns what reads the rows of a file: from entries if there are any, and else from
// panels.
func (f *file) newRows() rows {
	if f.sections[offsetSection] == nil {
		return &panelRows{file: f, panels: f.stream(panelsSection)}
	}
	e := &entryRows{file: f, offset: f.stream(offsetSection), index: f.stream(indexSection)}
	if f.sections[exactSection] != nil {
		e.value, e.size = f.stream(exactSection), 8
	} else {
		e.value, e.size = f.stream(valueSection), 4
	}
	return e
}

// entryRows reads rows from the entries.
type entryRows struct {
	*file
	offset, index *stream
	value         *stream // value is nil if the values are not read.
	// size is the number of bytes of a value.
	size int
	// from is where the row begins that is read next.
	from  int64
	row   dataset.Row
	begun bool
}

func (r *entryRows) next(i int, row *dataset.Row) error {
	if !r.begun {
		r.begun = true
		if first, err := r.offset.long(); err != nil || first != 0 {
			if err == nil {
				err = r.damaged("its first row begins at value %d", first)
			}
			return err
		}
	}
	to, err := r.offset.long()
	if err != nil {
		return err
	}
	if to < r.from || to > r.meta.Nonzeros || to-r.from > int64(r.meta.Features) ||
		i == r.meta.Rows-1 && to != r.meta.Nonzeros {
		return r.damaged("row %d has values %d to %d of %d", i+1, r.from, to, r.meta.Nonzeros)
	}
	n := int(to - r.from)
	r.from = to
	index, value := slices.Grow(r.row.Index[:0], n)[:n], slices.Grow(r.row.Value[:0], n)[:n]
	r.row.Index, r.row.Value = index, value
	// Long rows are taken in parts, so what is joined from two blocks stays small.
	const part = 1 << 15
	last := int32(-1)
	for at := 0; at < n; at += part {
		m := min(part, n-at)
		b, err := r.index.bytes(4 * m)
		if err != nil {
			return err
		}
		for k := range m {
			j := int32(binary.LittleEndian.Uint32(b[4*k:]))
			if j <= last || int(j) >= r.meta.Features {
				return r.damaged("row %d has feature %d after %d, of %d", i+1, int64(j)+1,
					int64(last)+1, r.meta.Features)
			}
			index[at+k], last = j, j
		}
		if r.value == nil {
			continue
		}
		if b, err = r.value.bytes(r.size * m); err != nil {
			return err
		}
		for k := range m {
			v := 0.0
			if r.size == 8 {
				v = float64At(b, k)
			} else {
				v = float64(float32At(b, k))
			}
			if !float.Finite(v) {
				return r.damaged("row %d has the value %v", i+1, v)
			}
			value[at+k] = v
		}
	}
	row.Index, row.Value = index, value
	return nil
}

// panelRows reads rows from panels, of which one is in memory.
type panelRows struct {
	*file
	panels *stream
	panel  []float32
	row    dataset.Row
}

func (r *panelRows) next(i int, row *dataset.Row) error {
	d, lane := r.meta.Features, i%dataset.PanelWidth
	if lane == 0 {
		r.panel = slices.Grow(r.panel[:0], d*dataset.PanelWidth)[:d*dataset.PanelWidth]
		for j := range d {
			b, err := r.panels.bytes(4 * dataset.PanelWidth)
			if err != nil {
				return err
			}
			for k := range dataset.PanelWidth {
				r.panel[j*dataset.PanelWidth+k] = float32At(b, k)
			}
		}
	}
	index, value := r.row.Index[:0], r.row.Value[:0]
	for j := range d {
		v := float64(r.panel[j*dataset.PanelWidth+lane])
		if v == 0 {
			continue
		}
		if math.Abs(v) > math.MaxFloat32 || v != v {
			return r.damaged("row %d has the value %v", i+1, v)
		}
		index, value = append(index, int32(j)), append(value, v)
	}
	r.row.Index, r.row.Value = index, value
	row.Index, row.Value = index, value
	return nil
}
