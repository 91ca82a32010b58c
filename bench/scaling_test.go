package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestScaling(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := t.TempDir()
	r := found(t, "", "scaling", "--quick", "--out", dir)
	swept := map[string]int{}
	for _, row := range r.Tables[0].Rows {
		certified(t, row)
		swept[row["swept"].(string)]++
	}
	for _, name := range []string{"points", "kernels", "features", "budget"} {
		if swept[name] < 3 {
			t.Errorf("%s: %d runs", name, swept[name])
		}
		if _, err := os.Stat(filepath.Join(dir, "scaling-"+name+".svg")); err != nil {
			t.Error(err)
		}
	}
	found := false
	for _, row := range r.Tables[1].Rows {
		if row["swept"] == "points" && row["measure"] == "rows" {
			e := row["exponent"].(float64)
			found = e > 0.5 && e < 2
		}
	}
	if !found {
		t.Errorf("rows do not grow with points: %v", r.Tables[1].Rows)
	}
}
