package dataset

import "context"

// Select copies some points, given by ascending indices, to a store of their own in dir. They stay
// scaled as they are. The new store has the mean and the scaling of all points, and no fingerprint.
func (s *Store) Select(ctx context.Context, dir string, index []int32) (*Store, error) {
	r := &Store{matrix: matrix{n: len(index), d: s.d, sparse: s.sparse}, responses: s.pick(index),
		mean: s.mean, scaling: s.scaling}
	r.size = Size{Rows: r.n, Features: r.d, Nonzeros: s.nonzerosOf(index), Sparse: s.sparse}
	var err error
	if r.size.Points, err = r.reserve(dir, r.size.Nonzeros); err != nil {
		return nil, err
	}
	if err := r.copyRows(ctx, &s.matrix, index); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// copyRows writes some rows of another matrix, given by their indices.
func (m *matrix) copyRows(ctx context.Context, from *matrix, index []int32) error {
	for k, i := range index {
		if err := checkSelecting(ctx, k); err != nil {
			return err
		}
		if m.sparse {
			at, value := from.rows.row(int(i))
			m.rows.put(k, at, value)
			continue
		}
		to, panel := m.Panel(k/PanelWidth), from.Panel(int(i)/PanelWidth)
		lane, other := k%PanelWidth, int(i)%PanelWidth
		for j := range m.d {
			to[j*PanelWidth+lane] = panel[j*PanelWidth+other]
		}
	}
	return nil
}

// checkSelecting returns the error of the context every few points.
func checkSelecting(ctx context.Context, point int) error {
	if point%contextEvery != 0 {
		return nil
	}
	return ctx.Err()
}

// nonzerosOf returns the number of non-zeros of some rows, 0 if the matrix is dense.
func (m *matrix) nonzerosOf(index []int32) (nonzeros int64) {
	if !m.sparse {
		return 0
	}
	for _, i := range index {
		at, _ := m.rows.row(int(i))
		nonzeros += int64(len(at))
	}
	return nonzeros
}
