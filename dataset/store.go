package dataset

import (
	"bigmkl/internal/fail"
	"bigmkl/mmap"
	"slices"
)

// Store is a data set, scaled, rounded to float32 and packed for streaming. What its methods return belongs to the store
// and is not to be written to; panels and non-zeros are valid until Close.
//
// Why panels: a kernel's tile takes 32 points at a time, feature by feature, and so reads memory strictly in order, from
// RAM or from the mapped file. Points of few non-zeros are stored as these instead (see Layout).
type Store struct {
	n, d        int
	data        *mmap.Map // unlinked scratch file; written by Build only
	sparse      bool
	panels      []float32 // all of data, if dense
	rows        csr       // all of data, if sparse
	labels      []int32   // of classes
	targets     []float64 // of regression
	classes     []string
	weights     []float64
	mean        []float32
	scaling     Scaling
	fingerprint uint64
	size        Size
}

// Len is the number of points.
func (s *Store) Len() int { return s.n }

// Dim is the number of features.
func (s *Store) Dim() int { return s.d }

// Panels is the number of panels, Len over PanelWidth rounded up.
func (s *Store) Panels() int { return (s.n + PanelWidth - 1) / PanelWidth }

// Sparse tells whether the points are stored as their non-zeros.
func (s *Store) Sparse() bool { return s.sparse }

// Panel is the p-th panel, Dim x PanelWidth: the values of feature j are at [j*PanelWidth, (j+1)*PanelWidth), those
// beyond the last point zero. The store must be dense.
func (s *Store) Panel(p int) []float32 {
	if s.sparse {
		panic("dataset: Panel of a sparse store")
	}
	size := s.d * PanelWidth
	return s.panels[p*size : (p+1)*size : (p+1)*size]
}

// Nonzeros is the features of point i that are not zero, ascending, and their values. The store must be sparse.
func (s *Store) Nonzeros(i int) (index []int32, value []float32) {
	if !s.sparse {
		panic("dataset: Nonzeros of a dense store")
	}
	return s.rows.row(i)
}

// Row gathers point i into dst, whose length must be Dim.
func (s *Store) Row(i int, dst []float32) {
	if len(dst) != s.d {
		panic("dataset: Row into a slice of the wrong length")
	}
	if s.sparse {
		clear(dst)
		index, value := s.rows.row(i)
		for k, j := range index {
			dst[j] = value[k]
		}
		return
	}
	panel, lane := s.Panel(i/PanelWidth), i%PanelWidth
	for j := range dst {
		dst[j] = panel[j*PanelWidth+lane]
	}
}

// Labels holds the class of each point, as an index of Classes.
func (s *Store) Labels() []int32 { return s.labels }

// Classes holds the names of the classes that occur, in ascending order: numerical if all are integers.
func (s *Store) Classes() []string { return s.classes }

// Targets holds the target of each point, if labels are targets.
func (s *Store) Targets() []float64 { return s.targets }

// Weights holds the weight of each point; nil if all are 1.
func (s *Store) Weights() []float64 { return s.weights }

// Mean is the mean of each scaled feature, rounded to float32.
func (s *Store) Mean() []float32 { return s.mean }

// Scaling is what was learned from the rows.
func (s *Store) Scaling() *Scaling { return &s.scaling }

// Fingerprint is a 64-bit hash of all that a training depends on: sizes, scaled values, labels, class names and weights.
func (s *Store) Fingerprint() uint64 { return s.fingerprint }

// Size is the shape of the points and what their scratch files took.
func (s *Store) Size() Size { return s.size }

// Close frees the points. It may be called again.
func (s *Store) Close() error {
	s.panels, s.rows = nil, csr{}
	return s.data.Close()
}

// Columns tells whether the rows look like comma-separated values: none has a feature, and a label has a comma within.
func (s *Store) Columns() bool {
	return s.size.Nonzeros == 0 && slices.ContainsFunc(s.classes, fail.Columns[string])
}
