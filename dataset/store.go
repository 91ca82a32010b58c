package dataset

import (
	"io"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/mmap"
)

// Store is a data set that is scaled, rounded to float32 and packed for streaming. The caller must
// not write to what its methods return. Panels and non-zeros are valid until Close.
//
// A panel holds 32 points, feature by feature. A kernel computes such a tile at a time, and so
// reads memory strictly in order, whether it is RAM or the mapped file. Points with few non-zeros
// are stored as these instead (see Layout).
type Store struct {
	n, d        int
	given       int       // given is the last feature that a row gives, counted from 1.
	data        *mmap.Map // data maps an unlinked scratch file, or a file of packed points.
	sparse      bool
	panels      []float32 // panels is all of data in a dense store.
	rows        csr       // rows is all of data in a sparse store.
	labels      []int32   // labels holds an index into classes for each point.
	targets     []float64 // targets holds the numbers to predict in regression.
	classes     []string
	weights     []float64
	posteriors  []float64 // posteriors is nil if labels are certain.
	mean        []float32
	scaling     Scaling
	fingerprint uint64
	size        Size
	occurring   *Occurring // occurring is nil if all features are numbered.
	// checked is closed once the file of points that were packed beforehand has been checked, with
	// the result in fault. It is nil for other points. stopCheck ends the check, and unchanged
	// reports whether the file is as it was.
	checked   chan struct{}
	stopCheck func()
	unchanged func() error
	fault     error
}

var _ io.Closer = (*Store)(nil)

// Len returns the number of points.
func (s *Store) Len() int { return s.n }

// Dim returns the number of features.
func (s *Store) Dim() int { return s.d }

// Occurring returns the features that occur if the others have no number; see StoreOptions.Compact.
func (s *Store) Occurring() *Occurring { return s.occurring }

// Given returns the number of the last feature that a row gives, counted from 1. Dim is larger if
// StoreOptions.Features asks for more.
func (s *Store) Given() int { return s.given }

// Panels returns the number of panels, which is Len over PanelWidth rounded up.
func (s *Store) Panels() int { return (s.n + PanelWidth - 1) / PanelWidth }

// Sparse reports whether the points are stored as their non-zeros.
func (s *Store) Sparse() bool { return s.sparse }

// Panel returns the p-th panel, a matrix of Dim x PanelWidth numbers. The values of feature j are
// at [j*PanelWidth, (j+1)*PanelWidth), and those beyond the last point are zero. It panics if the
// store is sparse.
func (s *Store) Panel(p int) []float32 {
	if s.sparse {
		panic("dataset: Panel of a sparse store")
	}
	size := s.d * PanelWidth
	return s.panels[p*size : (p+1)*size : (p+1)*size]
}

// Nonzeros returns the features of point i that are not zero, ascending, and their values. It
// panics if the store is dense.
func (s *Store) Nonzeros(i int) (index []int32, value []float32) {
	if !s.sparse {
		panic("dataset: Nonzeros of a dense store")
	}
	return s.rows.row(i)
}

// Row copies point i to dst. It panics if the length of dst is not Dim.
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

// Labels returns the class of each point as an index into Classes.
func (s *Store) Labels() []int32 { return s.labels }

// Classes returns the names of the classes that occur, in the order of SortClasses.
func (s *Store) Classes() []string { return s.classes }

// Targets returns the target of each point. It returns nil if labels are not targets.
func (s *Store) Targets() []float64 { return s.targets }

// Weights returns the weight of each point. It returns nil if all weights are 1.
func (s *Store) Weights() []float64 { return s.weights }

// Posteriors returns the probability of the second class for each point, or the probabilities of
// all classes, n x classes, row-major. It returns nil if the labels are certain.
func (s *Store) Posteriors() []float64 { return s.posteriors }

// SetPosteriors makes the labels uncertain: p is the probability of the second of two classes for
// each point, or has the probabilities of all classes, n x classes, row-major. It is kept and must
// not change. It becomes part of the fingerprint. Posteriors that repeat the labels, 0 and 1, change
// nothing. It may be called once.
func (s *Store) SetPosteriors(p []float64) {
	n, k := len(s.labels), len(s.classes)
	certain := len(p) == n || len(p) == n*k
	for i := 0; certain && i < len(p); i++ {
		if len(p) == n {
			certain = p[i] == float64(s.labels[i])
		} else if is := i%k == int(s.labels[i/k]); is {
			certain = p[i] == 1
		} else {
			certain = p[i] == 0
		}
	}
	if !certain {
		s.posteriors, s.fingerprint = p, FingerprintWith(s.fingerprint, p)
	}
}

// Mean returns the mean of each scaled feature, rounded to float32.
func (s *Store) Mean() []float32 { return s.mean }

// Scaling returns the scaling that was learned from the rows.
func (s *Store) Scaling() *Scaling { return &s.scaling }

// Fingerprint returns a 64-bit hash of all that training depends on: sizes, scaled values, labels,
// class names, weights and posteriors. See Hasher and FingerprintWith.
func (s *Store) Fingerprint() uint64 { return s.fingerprint }

// Size returns the shape of the points and the disk space of their scratch files.
func (s *Store) Size() Size { return s.size }

// Close frees the points. Further calls do nothing.
func (s *Store) Close() error {
	if s.stopCheck != nil {
		s.stopCheck()
		s.stopCheck = nil
	}
	s.panels, s.rows = nil, csr{}
	return s.data.Close()
}

// Columns reports whether the rows look like comma-separated values: none has a feature, and a
// label contains a comma.
func (s *Store) Columns() bool {
	return s.size.Nonzeros == 0 && slices.ContainsFunc(s.classes, fail.Columns[string])
}
