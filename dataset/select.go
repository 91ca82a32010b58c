package dataset

import (
	"context"

	"bigmkl/mmap"
)

// Select copies some points, given by ascending indices, to a store of their own in dir. They stay
// scaled as they are. The new store has the mean and the scaling of all points, and no fingerprint.
func (s *Store) Select(ctx context.Context, dir string, index []int32) (*Store, error) {
	r := &Store{n: len(index), d: s.d, sparse: s.sparse, classes: s.classes, mean: s.mean,
		scaling: s.scaling}
	r.size = Size{Rows: r.n, Features: r.d, Sparse: s.sparse}
	bytes, err := s.selectedBytes(index, &r.size)
	if err != nil {
		return nil, err
	}
	if r.data, err = mmap.Array(dir, "points-*", bytes); err != nil {
		return nil, err
	}
	for _, i := range index {
		if s.labels != nil {
			r.labels = append(r.labels, s.labels[i])
		}
		if s.targets != nil {
			r.targets = append(r.targets, s.targets[i])
		}
		if s.weights != nil {
			r.weights = append(r.weights, s.weights[i])
		}
	}
	if s.sparse {
		r.rows = newCSR(r.data.Bytes(), r.n, r.size.Nonzeros)
		for k, i := range index {
			if err := checkSelecting(ctx, k); err != nil {
				r.Close()
				return nil, err
			}
			at, value := s.rows.row(int(i))
			r.rows.put(k, at, value)
		}
		return r, nil
	}
	r.panels = mmap.View[float32](r.data)
	for k, i := range index {
		if err := checkSelecting(ctx, k); err != nil {
			r.Close()
			return nil, err
		}
		to, from := r.Panel(k/PanelWidth), s.Panel(int(i)/PanelWidth)
		lane, other := k%PanelWidth, int(i)%PanelWidth
		for j := range s.d {
			to[j*PanelWidth+lane] = from[j*PanelWidth+other]
		}
	}
	return r, nil
}

// checkSelecting returns the error of the context every few points.
func checkSelecting(ctx context.Context, point int) error {
	if point%contextEvery != 0 {
		return nil
	}
	return ctx.Err()
}

// selectedBytes returns the bytes that some points take, and enters them and the number of their
// non-zeros in size.
func (s *Store) selectedBytes(index []int32, size *Size) (int64, error) {
	var err error
	if !s.sparse {
		size.Points, err = panelBytes(len(index), s.d)
		return size.Points, err
	}
	for _, i := range index {
		at, _ := s.rows.row(int(i))
		size.Nonzeros += int64(len(at))
	}
	size.Points, err = csrBytes(len(index), size.Nonzeros)
	return size.Points, err
}
