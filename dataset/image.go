package dataset

import (
	"context"

	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// Image is a store in parts that can be written to a file, from which Restore makes it again. Its
// slices refer to the memory of the store.
type Image struct {
	Rows, Features, Given int
	Nonzeros              int64
	Sparse                bool
	Classes               []string
	Scaling               Scaling
	Fingerprint           uint64
	Mean                  []float32 `json:"-"`
	Labels                []int32   `json:"-"` // nil if rows have no classes
	Targets               []float64 `json:"-"` // nil if labels are not targets
	Uppers                []float64 `json:"-"` // nil if all are 0
	Weights               []float64 `json:"-"` // nil if all are 1
	// Points are the panels of a dense store, or the offsets, indices and values of a sparse one.
	Points [][]byte `json:"-"`
}

// Image returns the parts of the store.
func (s *Store) Image() *Image {
	m := &Image{Rows: s.n, Features: s.d, Given: s.given, Nonzeros: s.size.Nonzeros,
		Sparse: s.sparse, Classes: s.classes, Scaling: s.scaling, Fingerprint: s.fingerprint,
		Mean: s.mean, Labels: s.labels, Targets: s.targets, Uppers: s.uppers, Weights: s.weights}
	if s.sparse {
		m.Points = [][]byte{mmap.Bytes(s.rows.offset), mmap.Bytes(s.rows.index),
			mmap.Bytes(s.rows.value)}
	} else {
		m.Points = [][]byte{mmap.Bytes(s.panels)}
	}
	return m
}

// Restore makes a store in dir of its parts. fill is called once for each part of Points, with the
// memory that it has to read that part to. Parts that do not fit together, or that have another
// fingerprint, are of class fail.Corrupt. A fingerprint of 0 is not known yet.
func Restore(ctx context.Context, dir string, m *Image, fill func(part int, to []byte) error) (
	*Store, error) {
	n, d := m.Rows, m.Features
	length := func(have int) bool { return have == 0 || have == n }
	if n < 1 || d < 0 || len(m.Mean) != d || m.Nonzeros < 0 || m.Scaling.Validate(d) != nil ||
		!length(len(m.Labels)) || !length(len(m.Targets)) || !length(len(m.Uppers)) || !length(len(m.Weights)) {
		return nil, fail.New(fail.Corrupt, "the parts of the saved rows do not fit together")
	}
	for _, c := range m.Labels {
		if c < 0 || int(c) >= len(m.Classes) {
			return nil, fail.New(fail.Corrupt, "a saved row is of class %d of %d", c, len(m.Classes))
		}
	}
	s := &Store{matrix: matrix{n: n, d: d, sparse: m.Sparse},
		responses: responses{labels: m.Labels, targets: m.Targets, uppers: m.Uppers, classes: m.Classes, weights: m.Weights},
		given:     m.Given, mean: m.Mean, scaling: m.Scaling, fingerprint: m.Fingerprint}
	s.size = Size{Rows: n, Features: d, Nonzeros: m.Nonzeros, Sparse: m.Sparse}
	var err error
	if s.size.Points, err = s.reserve(dir, m.Nonzeros); err != nil {
		return nil, err
	}
	for part, to := range s.Image().Points {
		if err := fill(part, to); err != nil {
			s.Close()
			return nil, err
		}
	}
	if err := s.checkRestored(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// checkRestored checks the points of a sparse store, and compares the fingerprint.
func (s *Store) checkRestored(ctx context.Context) error {
	if s.sparse {
		last := int64(0)
		for _, at := range s.rows.offset {
			if at < last || at > s.size.Nonzeros {
				return fail.New(fail.Corrupt, "the saved rows are out of order")
			}
			last = at
		}
		for i := range s.n {
			before := int32(-1)
			index, _ := s.rows.row(i)
			for _, j := range index {
				if j <= before || int(j) >= s.d {
					return fail.New(fail.Corrupt, "the features of saved row %d are out of order", i+1)
				}
				before = j
			}
		}
	}
	found, err := s.hash(ctx)
	if s.fingerprint == 0 {
		s.fingerprint = found
	}
	if err == nil && found != s.fingerprint {
		err = fail.New(fail.Corrupt, "the saved rows have fingerprint %016x, said is %016x", found,
			s.fingerprint)
	}
	return err
}
