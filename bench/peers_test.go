package main

import (
	"strings"
	"testing"
)

// TestPeers compares with whatever is installed; what is not is named.
func TestPeers(t *testing.T) {
	r := found(t, "", "peers", "--quick")
	rows, absent := r.Tables[0].Rows, 0
	for _, note := range r.Notes {
		if strings.Contains(note, " is not installed: ") {
			absent++
		}
	}
	peers := map[any]bool{}
	before := 0.0
	for _, row := range rows {
		gap, _ := row["relative_gap"].(float64)
		faster, _ := row["faster"].(float64)
		if row["status"] != "done" || !(gap > 0 && gap < 0.1) || faster < before || !(faster > 0) {
			t.Errorf("%v", row)
		}
		peers[row["peer"]], before = true, faster
	}
	if len(peers)+absent != 3 {
		t.Errorf("%d peers, and %d that are not installed", len(peers), absent)
	}
}
