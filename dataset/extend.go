package dataset

import (
	"context"

	"bigmkl/internal/dataset/datahash"
	"bigmkl/internal/dataset/labeltext"
)

// Extend returns a store in dir of the points of s followed by those of more stores, which must
// have been built Like s, and without the first few of all these. Scaling and mean stay those of s. It has
// the classes of the rows that are left, and the fingerprint is computed of these rows together. The
// stores stay as they are, so the disk has to hold all points twice.
func (s *Store) Extend(ctx context.Context, dir string, without int, more ...*Store) (
	*Store, error) {
	r := &Store{matrix: matrix{d: s.d, sparse: s.sparse}, mean: s.mean, scaling: s.scaling}
	parts := partsOf(append([]*Store{s}, more...), without)
	weighted := false
	for _, p := range parts {
		r.n += p.of.n - p.first
		r.given = max(r.given, p.of.given)
		for i := p.first; i < p.of.n; i++ {
			weighted = weighted || p.of.weights != nil && p.of.weights[i] != 1
			if s.sparse {
				index, _ := p.of.rows.row(i)
				r.size.Nonzeros += int64(len(index))
			}
		}
	}
	r.classes = classesOf(parts)
	for _, p := range parts {
		r.append(&p.of.responses, p.first, p.of.n, weighted)
	}
	r.size.Rows, r.size.Features, r.size.Sparse = r.n, r.d, r.sparse
	var err error
	if r.size.Points, err = r.reserve(dir, r.size.Nonzeros); err != nil {
		return nil, err
	}
	err = r.copyParts(ctx, parts)
	if err == nil {
		r.fingerprint, err = r.hash(ctx)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// part is the points of a store from one of them on.
type part struct {
	of    *Store
	first int
}

// classesOf returns the classes of the points of some parts, in the order of labeltext.Sort.
func classesOf(parts []part) []string {
	var names []string
	known := map[string]bool{}
	for _, p := range parts {
		present := make([]bool, len(p.of.classes))
		for i := p.first; p.of.labels != nil && i < p.of.n; i++ {
			present[p.of.labels[i]] = true
		}
		for c, name := range p.of.classes {
			if present[c] && !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	labeltext.Sort(names)
	return names
}

// LeftOf returns the classes that some stores have without the first few of their points, in the order of
// labeltext.Sort: those of Extend. It is nil if labels are not classes.
func LeftOf(stores []*Store, without int) []string { return classesOf(partsOf(stores, without)) }

// partsOf returns the points of some stores without the first few.
func partsOf(stores []*Store, without int) []part {
	var parts []part
	for _, of := range stores {
		first := min(without, of.n)
		without -= first
		parts = append(parts, part{of, first})
	}
	return parts
}

// copyParts writes the points of the parts one after the other.
func (m *matrix) copyParts(ctx context.Context, parts []part) error {
	row, to := make([]float32, m.d), 0
	for _, p := range parts {
		for i := p.first; i < p.of.n; i++ {
			if err := checkSelecting(ctx, to); err != nil {
				return err
			}
			if m.sparse {
				index, value := p.of.rows.row(i)
				m.rows.put(to, index, value)
			} else {
				p.of.Row(i, row)
				panel, lane := m.Panel(to/PanelWidth), to%PanelWidth
				for j, x := range row {
					panel[j*PanelWidth+lane] = x
				}
			}
			to++
		}
	}
	return nil
}

// hash returns the fingerprint of the points, labels and weights, and counts the non-zeros.
func (s *Store) hash(ctx context.Context) (uint64, error) {
	h := datahash.New(s.n, s.d)
	var index []int32
	var value []float32
	row := make([]float32, s.d)
	s.size.Nonzeros = 0
	for i := range s.n {
		if err := checkSelecting(ctx, i); err != nil {
			return 0, err
		}
		if s.sparse {
			index, value = s.rows.row(i)
		} else {
			s.Row(i, row)
			index, value = index[:0], value[:0]
			for j, x := range row {
				if x != 0 {
					index, value = append(index, int32(j)), append(value, x)
				}
			}
		}
		h.Row(index, value)
		s.size.Nonzeros += int64(len(index))
	}
	h.Targets(s.targets)
	h.Targets(s.uppers)
	return h.Sum(s.labels, s.classes, s.weights), nil
}
