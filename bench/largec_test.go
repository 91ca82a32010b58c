package main

import "testing"

// TestLargeC trains both problems of the short form to their gaps.
func TestLargeC(t *testing.T) {
	rows := found(t, "", "largec", "--quick").Tables[0].Rows
	if len(rows) != 2 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		gap, _ := row["relative_gap"].(float64)
		if asked, _ := row["target_gap"].(float64); row["status"] != "converged" || !(gap <= asked) {
			t.Errorf("%v", row)
		}
	}
}
