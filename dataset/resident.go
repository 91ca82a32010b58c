package dataset

import "bigmkl/mmap"

// KeepOnly gives up the memory of all points but from to to-1, as far as it is whole pages of a mapped
// file. They come back when they are read. It may be called while points are read.
func (s *Store) KeepOnly(from, to int) error {
	if s.data == nil {
		return nil
	}
	var parts [][]byte
	if s.sparse {
		a, b := s.rows.offset[from], s.rows.offset[to]
		parts = append(parts, mmap.Bytes(s.rows.index[:a]), mmap.Bytes(s.rows.index[b:]),
			mmap.Bytes(s.rows.value[:a]), mmap.Bytes(s.rows.value[b:]))
	} else {
		size := s.d * PanelWidth
		a, b := from/PanelWidth*size, (to+PanelWidth-1)/PanelWidth*size
		parts = append(parts, mmap.Bytes(s.panels[:a]), mmap.Bytes(s.panels[b:]))
	}
	for _, part := range parts {
		if err := s.data.Evict(part); err != nil {
			return err
		}
	}
	return nil
}
