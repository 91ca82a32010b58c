package heldout

import (
	"testing"
)

// TestCohorts: a cohort has the sources that it lists, and a pair shows one quantity.
func TestCohorts(t *testing.T) {
	for k := range 20 {
		c := newCohort(3, k)
		pairs, width := map[int]int{}, 0
		for _, s := range c.sources {
			width += s.features
			if s.kind == pairSource {
				pairs[s.latent]++
			}
			if s.features < 5 || s.features > 2000 || s.shown > s.features {
				t.Errorf("%+v", s)
			}
		}
		if n := len(c.sources); n < 3 || n > 6 || len(pairs) > 1 || len(c.row(5).Index) != width || c.views()[n-1].Last != width {
			t.Errorf("%+v", c)
		}
		for _, n := range pairs {
			if n != 2 {
				t.Errorf("%d sources of a pair", n)
			}
		}
	}
}
