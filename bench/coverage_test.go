package main

import (
	"math"
	"strings"
	"testing"
)

// TestCoverageExperiment: without data there are generated rows, each with the measured and the expected share, and a program without MAPIE is named.
func TestCoverageExperiment(t *testing.T) {
	r := found(t, t.TempDir(), "coverage", "--quick", "--coverage", "0.8", "--folds", "3", "--python", "no-such-python")
	if len(r.Tables) != 2 || len(r.Tables[0].Rows) != 2 || len(r.Tables[1].Rows) != 1 {
		t.Fatalf("%+v", r)
	}
	for _, row := range r.Tables[0].Rows {
		number := func(key string) float64 { return row[key].(float64) }
		if number("scores") != 17 || math.Abs(number("expected")-15./18) > 1e-12 || !(number("met") > .5) || !(number("error") > 0) || !(number("size") > 0) ||
			!(number("folds_met") > .5) || !(number("folds_size") > 0) {
			t.Errorf("%v", row)
		}
	}
	rare := r.Tables[1].Rows[0]
	if share := rare["share"].(float64); !(share > 0 && share <= .6) || !(rare["by_class"].(float64) > .4) {
		t.Errorf("%v", rare)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "no-such-python has no MAPIE") {
		t.Error(notes)
	}
}

// TestIntervalExperiment: all kinds of intervals hold rows of generated regressions. Their shares are a few standard errors off at most.
func TestIntervalExperiment(t *testing.T) {
	r := found(t, t.TempDir(), "intervals", "--quick", "--coverage", "0.8")
	if len(r.Tables) != 1 || len(r.Tables[0].Rows) != 1 {
		t.Fatalf("%+v", r)
	}
	for _, key := range []string{
		"square_met", "square_width", "svr_met", "svr_width", "quantiles_met", "quantiles_width", "plain_met", "plain_width", "error",
	} {
		if x := r.Tables[0].Rows[0][key].(float64); !(x > 0) {
			t.Errorf("%s is %g", key, x)
		}
	}
	for _, key := range []string{"square_off", "svr_off", "quantiles_off"} {
		if x := r.Tables[0].Rows[0][key].(float64); !(math.Abs(x) < 4) {
			t.Errorf("%s is %g", key, x)
		}
	}
}
