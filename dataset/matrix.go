package dataset

import "bigmkl/mmap"

// matrix holds the points of a store, dense in panels or as their non-zeros.
type matrix struct {
	n, d   int
	data   *mmap.Map // data maps an unlinked scratch file, or a file of packed points.
	sparse bool
	panels []float32 // panels is all of data if the points are dense.
	rows   csr       // rows is all of data if they are sparse.
}

// Len returns the number of points.
func (m *matrix) Len() int { return m.n }

// Dim returns the number of features.
func (m *matrix) Dim() int { return m.d }

// Panels returns the number of panels, which is Len over PanelWidth rounded up.
func (m *matrix) Panels() int { return (m.n + PanelWidth - 1) / PanelWidth }

// Sparse reports whether the points are stored as their non-zeros.
func (m *matrix) Sparse() bool { return m.sparse }

// Panel returns the p-th panel, a matrix of Dim x PanelWidth numbers. The values of feature j are
// at [j*PanelWidth, (j+1)*PanelWidth), and those beyond the last point are zero. It panics if the
// store is sparse.
func (m *matrix) Panel(p int) []float32 {
	if m.sparse {
		panic("dataset: Panel of a sparse store")
	}
	size := m.d * PanelWidth
	return m.panels[p*size : (p+1)*size : (p+1)*size]
}

// Nonzeros returns the features of point i that are not zero, ascending, and their values. It
// panics if the store is dense.
func (m *matrix) Nonzeros(i int) (index []int32, value []float32) {
	if !m.sparse {
		panic("dataset: Nonzeros of a dense store")
	}
	return m.rows.row(i)
}

// Row copies point i to dst. It panics if the length of dst is not Dim.
func (m *matrix) Row(i int, dst []float32) {
	if len(dst) != m.d {
		panic("dataset: Row into a slice of the wrong length")
	}
	if m.sparse {
		clear(dst)
		index, value := m.rows.row(i)
		for k, j := range index {
			dst[j] = value[k]
		}
		return
	}
	panel, lane := m.Panel(i/PanelWidth), i%PanelWidth
	for j := range dst {
		dst[j] = panel[j*PanelWidth+lane]
	}
}

// reserve creates the scratch file of points of so many non-zeros, and returns its bytes.
func (m *matrix) reserve(dir string, nonzeros int64) (size int64, err error) {
	if m.sparse {
		size, err = csrBytes(m.n, nonzeros)
	} else {
		size, err = panelBytes(m.n, m.d)
	}
	if err != nil {
		return 0, err
	}
	return size, m.create(dir, size, nonzeros)
}

// create creates the scratch file of the points, of so many bytes.
func (m *matrix) create(dir string, size, nonzeros int64) (err error) {
	if m.data, err = mmap.Array(dir, "bigmkl-points-*", size); err != nil {
		return err
	}
	if m.sparse {
		m.rows = newCSR(m.data.Bytes(), m.n, nonzeros)
	} else {
		m.panels = mmap.View[float32](m.data)
	}
	return nil
}
