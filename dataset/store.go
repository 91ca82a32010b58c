package dataset

import (
	"io"
	"slices"

	"bigmkl/internal/dataset/datahash"
	"bigmkl/internal/fail"
)

// Store is a data set that is scaled, rounded to float32 and packed for streaming. The caller must
// not write to what its methods return. Panels and non-zeros are valid until Close.
//
// A panel holds 32 points, feature by feature. A kernel computes such a tile at a time, and so
// reads memory strictly in order, whether it is RAM or the mapped file. Points with few non-zeros
// are stored as these instead (see Layout).
type Store struct {
	matrix
	responses
	fileCheck
	given       int // given is the last feature that a row gives, counted from 1.
	mean        []float32
	scaling     Scaling
	fingerprint uint64
	size        Size
	occurring   *Occurring // occurring is nil if all features are numbered.
}

var _ io.Closer = (*Store)(nil)

// Occurring returns the features that occur if the others have no number; see StoreOptions.Compact.
func (s *Store) Occurring() *Occurring { return s.occurring }

// Given returns the number of the last feature that a row gives, counted from 1. Dim is larger if
// StoreOptions.Features asks for more.
func (s *Store) Given() int { return s.given }

// SetPosteriors makes the labels uncertain: p is the probability of the second of two classes for
// each point, or has the probabilities of all classes, n x classes, row-major. It is kept and must
// not change. It becomes part of the fingerprint. Posteriors that repeat the labels, 0 and 1, change
// nothing. It may be called once.
func (s *Store) SetPosteriors(p []float64) {
	if !s.repeats(p) {
		s.posteriors, s.fingerprint = p, datahash.With(s.fingerprint, p)
	}
}

// Mean returns the mean of each scaled feature, rounded to float32.
func (s *Store) Mean() []float32 { return s.mean }

// Scaling returns the scaling that was learned from the rows.
func (s *Store) Scaling() *Scaling { return &s.scaling }

// Fingerprint returns a 64-bit hash of all that training depends on: sizes, scaled values, labels,
// class names, weights and posteriors. See datahash.Hasher and datahash.With.
func (s *Store) Fingerprint() uint64 { return s.fingerprint }

// Size returns the shape of the points and the disk space of their scratch files.
func (s *Store) Size() Size { return s.size }

// Close frees the points. Further calls do nothing.
func (s *Store) Close() error {
	s.stopCheck()
	s.panels, s.rows = nil, csr{}
	return s.data.Close()
}

// Columns reports whether the rows look like comma-separated values: none has a feature, and a
// label contains a comma.
func (s *Store) Columns() bool {
	return s.size.Nonzeros == 0 && slices.ContainsFunc(s.classes, fail.Columns[string])
}
