package main

import "testing"

func TestSquared(t *testing.T) {
	r := found(t, "", "squared", "--quick")
	rows := r.Tables[0].Rows
	if len(rows) != 4 {
		t.Fatalf("%d rows", len(rows))
	}
	for i, row := range rows {
		certified(t, row["run"].(map[string]any))
		if want := []string{"chunking", "lbfgs"}[i%2]; row["solver"] != want {
			t.Errorf("row %d: %v", i, row)
		}
	}
}
