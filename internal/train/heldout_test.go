package train

import (
	"testing"

	"bigmkl/chunking"
)

// TestFewRows: points without number are not few. The bytes of their rows are more than an int64 holds.
func TestFewRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		points, groups int
		few            bool
	}{{2000, 6, true}, {1 << 14, 1, true}, {1<<14 + 1, 1, false}, {1 << 30, 1, false}, {1 << 30, 2, false}, {1<<31 - 1, 1, false}, {1<<31 - 1, 4096, false}} {
		if got := areFew(c.points, c.groups); got != c.few {
			t.Errorf("%d points in %d groups: %v", c.points, c.groups, got)
		}
	}
}

// TestMoreSevere: of the classifiers of a training the one with the most severe end determines the status, whichever comes
// last.
func TestMoreSevere(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]chunking.Status{
		{chunking.Converged, chunking.Stalled, chunking.Stalled}, {chunking.IterationLimit, chunking.Stalled, chunking.IterationLimit},
		{chunking.IterationLimit, chunking.Converged, chunking.IterationLimit}, {chunking.Converged, chunking.Converged, chunking.Converged},
	} {
		if got := moreSevere(c[0], c[1]); got != c[2] {
			t.Errorf("of %s and %s: %s", c[0], c[1], got)
		}
	}
}
