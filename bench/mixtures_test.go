package main

import (
	"bigmkl/internal/testlevel"
	"strconv"
	"testing"
)

// TestMixtures: every part has its lines, claims of the thesis about the synthetic sets hold, and three solvers of
// one projection agree.
func TestMixtures(t *testing.T) {
	data := testlevel.NeedRealData(t)
	testlevel.Sample(t, 3, 3)
	r := found(t, data, "mixtures", "gaussians", "curve", "sets", "figure4.5", "--quick")
	if len(r.Tables) != 5 {
		t.Fatalf("%d tables", len(r.Tables))
	}
	for k, lines := range []int{2, 7, 7, 7, 1} {
		if n := len(r.Tables[k].Rows); n != lines {
			t.Errorf("%s: %d lines", r.Tables[k].Title, n)
		}
	}
	accuracy := func(table, row int) float64 {
		x, err := strconv.ParseFloat(r.Tables[table].Rows[row]["training"].(string), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	if ml, med := accuracy(0, 0), accuracy(0, 1); ml > 0.55 || med < 1 {
		t.Errorf("eight Gaussians: likelihood %g, discrimination %g", ml, med)
	}
	if nskc := accuracy(1, 5); nskc < 1 {
		t.Errorf("the curve: %g in training", nskc)
	}
	for k := range 2 {
		if x := accuracy(1, k); x > 0.93 {
			t.Errorf("the curve: one kernel has %g in training", x)
		}
	}
	if off, err := strconv.ParseFloat(r.Tables[4].Rows[0]["off"].(string), 64); err != nil || off > 2e-3 {
		t.Errorf("dual values of one projection differ by %v %v", r.Tables[4].Rows[0]["off"], err)
	}
}
