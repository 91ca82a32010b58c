package main

import "testing"

func TestChoicesAreValidAndDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range listChoices() {
		if err := c.tuning.Validate(); err != nil {
			t.Errorf("%s %s: %v", c.name, c.value, err)
		}
		if seen[c.name+c.value] {
			t.Errorf("%s %s twice", c.name, c.value)
		}
		seen[c.name+c.value] = true
	}
}

func TestChoices(t *testing.T) {
	r := found(t, "", "choices", "--quick", "--points", "50")
	rows := r.Tables[0].Rows
	if len(rows) != len(listChoices()) {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		certified(t, row["run"].(map[string]any))
	}
	if rows[0]["choice"] != "as chosen" || rows[0]["against_chosen"] != 1.0 {
		t.Errorf("%v", rows[0])
	}
}
