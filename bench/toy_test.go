package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestToy: every cell is there, the sparsest scenario is p = 1's, and the figure is drawn.
func TestToy(t *testing.T) {
	dir := t.TempDir()
	r := found(t, "", "toy", "--quick", "--repetitions", "1", "--out", dir)
	const scenarios = 6
	if len(r.Tables) != 3 || len(r.Tables[0].Rows) != scenarios {
		t.Fatalf("%+v", r)
	}
	at := func(row int, p string) float64 {
		return r.Tables[0].Rows[row][p].(map[string]any)["mean"].(float64)
	}
	for row := range scenarios {
		for _, p := range []string{"1", "4/3", "2", "4", "inf"} {
			if e := at(row, "p"+p); !(e > 1 && e < 60) {
				t.Errorf("scenario %d, p = %s: %g %%", row, p, e)
			}
		}
	}
	if last := scenarios - 1; !(at(last, "p1") < 15 && at(last, "pinf") > 25) {
		t.Errorf("one feature: %g %% for p = 1, %g %% for p = inf", at(last, "p1"), at(last, "pinf"))
	}
	if b := r.Tables[0].Rows[4]["bound"]; b != "1.25" {
		t.Errorf("four features: the bound is least at %v", b)
	}
	svg, err := os.ReadFile(filepath.Join(dir, "toy-error.svg"))
	if err != nil || !strings.Contains(string(svg), "Bayes error") {
		t.Errorf("the figure: %v", err)
	}
}
