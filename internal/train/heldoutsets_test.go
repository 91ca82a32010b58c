package train

import (
	"testing"

	"bigmkl/chunking"
)

// TestHeldSets: a set holds the support vectors of a start, is never smaller than the usual one, nor larger than what memory is
// planned for. What was asked for stays.
func TestHeldSets(t *testing.T) {
	t.Parallel()
	start := func(n, vectors int) []float64 {
		alpha := make([]float64, n)
		for i := range vectors {
			alpha[n-1-i] = 1
		}
		return alpha
	}
	for _, c := range []struct {
		asked       chunking.Tuning
		n, vectors  int
		most, floor int
		set         int
	}{
		{n: 8000, vectors: 100, most: 768, floor: 1, set: 512},
		{n: 8000, vectors: 520, most: 768, floor: 1, set: 640},
		{n: 8000, vectors: 900, most: 768, floor: 1, set: 768},
		{n: 4800, vectors: 900, most: 576, floor: 1, set: 576}, // an eighth of the points, in panels
		{n: 1000, vectors: 900, most: 256, floor: 1, set: 256},
		{asked: chunking.Tuning{WorkingSet: 64, Floor: 3}, n: 8000, vectors: 900, most: 64, floor: 3, set: 64},
		{asked: chunking.Tuning{NoShrink: true}, n: 8000, vectors: 900},
	} {
		s := settings{c.asked}
		most := s.most(c.n)
		if most.WorkingSet != c.most || most.Floor != c.floor {
			t.Errorf("%+v, %d points: %+v, want sets of %d and floor %d", c.asked, c.n, most, c.most, c.floor)
		}
		if got := s.setFor(most, start(c.n, c.vectors)); got != c.set {
			t.Errorf("%+v, %d points, %d vectors: a set of %d, want %d", c.asked, c.n, c.vectors, got, c.set)
		}
		if got := s.setFor(most, nil); got != c.most {
			t.Errorf("%+v, %d points: a set of %d from zeros, want %d", c.asked, c.n, got, c.most)
		}
	}
}
