package dataset

import "bigmkl/mmap"

// KeepOnly gives up the memory of all points but from to to-1, as far as it is whole pages of a mapped
// file. They come back when they are read. It may be called while points are read.
func (m *matrix) KeepOnly(from, to int) error {
	if m.data == nil {
		return nil
	}
	var parts [][]byte
	if m.sparse {
		a, b := m.rows.offset[from], m.rows.offset[to]
		parts = append(parts, mmap.Bytes(m.rows.index[:a]), mmap.Bytes(m.rows.index[b:]),
			mmap.Bytes(m.rows.value[:a]), mmap.Bytes(m.rows.value[b:]))
	} else {
		size := m.d * PanelWidth
		a, b := from/PanelWidth*size, (to+PanelWidth-1)/PanelWidth*size
		parts = append(parts, mmap.Bytes(m.panels[:a]), mmap.Bytes(m.panels[b:]))
	}
	for _, part := range parts {
		if err := m.data.Evict(part); err != nil {
			return err
		}
	}
	return nil
}
