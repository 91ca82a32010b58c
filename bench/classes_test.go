package main

import "testing"

// One run of ten classes has the classifiers of ten runs: as many iterations and support vectors, and no larger a
// gap.
func TestClasses(t *testing.T) {
	r := found(t, "", "classes", "--sizes", "100")
	if len(r.Tables) != 1 || len(r.Tables[0].Rows) != 5 {
		t.Fatalf("%+v", r)
	}
	rows := r.Tables[0].Rows
	for _, row := range rows {
		certified(t, row["run"].(map[string]any))
	}
	if rows[0]["iterations"] != rows[1]["iterations"] || rows[0]["rows"] != rows[1]["rows"] || rows[0]["relative_gap"] != rows[1]["relative_gap"] {
		t.Errorf("ten runs: %v\none: %v", rows[0], rows[1])
	}
}
