package main

import "testing"

func TestChoices(t *testing.T) {
	r := found(t, "", "choices", "--quick", "--points", "50")
	rows := r.Tables[0].Rows
	if len(rows) != 31 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		certified(t, row["run"].(map[string]any))
	}
	if rows[0]["choice"] != "as chosen" || rows[0]["against_chosen"] != 1.0 {
		t.Errorf("%v", rows[0])
	}
}
