package main

import (
	"strings"
	"testing"
)

func TestFigure31(t *testing.T) {
	r := found(t, "", "figure31", "--sizes", "60,90", "--kernels", "3", "--norms", "1,4/3,2")
	if len(r.Tables) != 2 || len(r.Tables[0].Rows) != 6 || len(r.Tables[1].Rows) != 3 {
		t.Fatalf("%+v", r)
	}
	for _, table := range r.Tables {
		for _, row := range table.Rows {
			certified(t, row)
			if (row["p"] == "2") != strings.Contains(row["method"].(string), "uniform sum") {
				t.Errorf("p = %v is called %v", row["p"], row["method"])
			}
		}
	}
	if r.Tables[0].Rows[0]["n"] != 60.0 || r.Tables[1].Rows[0]["kernels"] != 3.0 {
		t.Errorf("%+v", r.Tables)
	}
	if r.Machine == "" || r.SIMD == "" || r.Go == "" || r.Commit == "" || r.Date == "" || r.Threads == 0 {
		t.Errorf("environment %+v", r)
	}
	if !strings.Contains(strings.Join(r.Notes, "\n"), "mnist is absent") {
		t.Errorf("absent data are not named: %q", r.Notes)
	}
}
