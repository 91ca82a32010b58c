package main

import (
	"fmt"
	"math"
	"testing"

	"bigmkl/internal/testlevel"
)

// TestVerdicts: of data sets with two sources that are alike, splits call at most as many different as
// two binomial errors above 5 % allow, where the plain t test calls a third; sources that differ are
// told apart.
func TestVerdicts(t *testing.T) {
	sets := 20
	if testlevel.Reached(testlevel.ManyTimes) {
		sets = 200
	}
	r := found(t, t.TempDir(), "verdicts", "--quick", "--sets", fmt.Sprint(sets), "--scheme", "10 splits of 0.5")
	if len(r.Tables) != 2 || len(r.Tables[0].Rows) != 1 {
		t.Fatalf("%+v", r)
	}
	n := float64(sets)
	count := func(table int, key string) float64 { return r.Tables[table].Rows[0][key].(float64) }
	if called, most := count(0, "corrected"), 0.05*n+2*math.Sqrt(0.0475*n); called > most {
		t.Errorf("%v of %d sets are called different, more than %.1f", called, sets, most)
	}
	if called := count(0, "plain"); called < n/4 {
		t.Errorf("the plain t test calls %v of %d different: the sets show no correlation", called, sets)
	}
	if called := count(1, "corrected"); called < n/4 {
		t.Errorf("a true difference is found in %v of %d sets", called, sets)
	}
}
