package model

import (
	"strings"

	"bigmkl/internal/fail"
)

// Validate checks everything that can be checked without data. It lists all faults in one error of
// class fail.Corrupt.
func (m *Model) Validate() error {
	var f faults
	for _, s := range newSections(nil) {
		s.check(m, &f)
	}
	if len(f) == 0 {
		return nil
	}
	return fail.New(fail.Corrupt, "the model makes no sense: %s", strings.Join(f, "; "))
}

// NeedsFeatures reports whether the kernel of a specification depends on the features of points.
func NeedsFeatures(spec string) bool { return !strings.HasPrefix(spec, "precomputed:") }
