package main

import (
	"testing"
)

func TestSolvers(t *testing.T) {
	r := found(t, "", "solvers", "--quick", "--sizes", "60", "--kernels", "5")
	if len(r.Tables) != 2 || len(r.Tables[0].Rows) != 10 || len(r.Tables[1].Rows) != 10 {
		t.Fatalf("%+v", r)
	}
	for _, table := range r.Tables {
		for _, row := range table.Rows {
			certified(t, row["run"].(map[string]any))
			if d, _ := row["dual_difference"].(float64); !(d <= 2e-3) {
				t.Errorf("%v: %v from chunking's dual", row["solver"], d)
			}
		}
	}
}
