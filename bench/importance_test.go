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
