package main

import (
	"fmt"
	"testing"

	"bigmkl/internal/testlevel"
)

// TestImportanceOfCohorts: noise is rarely called needed or of help, and pairs that show the same quantity are mostly named.
func TestImportanceOfCohorts(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.ManyTimes) // a cohort takes most of a minute
	cohorts := testlevel.Repeats(2, 40)
	r := found(t, t.TempDir(), "importance", "--quick", "--cohorts", fmt.Sprint(cohorts))
	if len(r.Tables) != 4 {
		t.Fatalf("%+v", r)
	}
	noise := r.Tables[0].Rows[0]
	count := func(key string) float64 { return noise[key].(float64) }
	if n := count("number"); n < float64(cohorts) || count("needed")+count("helps") > 0.05*n+2 {
		t.Errorf("%v", noise)
	}
}

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
