package main

import (
	"strings"
	"testing"
)

// TestPeers compares with whatever is installed; what is not is named.
func TestPeers(t *testing.T) {
	r := found(t, "", "peers", "--quick")
	rows := r.Tables[0].Rows
	if len(rows) != 3 || rows[0]["program"] != "bigmkl" || rows[0]["status"] != "converged" {
		t.Fatalf("%+v", rows)
	}
	for _, row := range rows[1:] {
		status := row["status"].(string)
		if strings.HasPrefix(status, "not installed: apt-get install ") {
			continue
		}
		if status != "done" {
			t.Errorf("%v: %s", row["program"], status)
		}
		if apart, _ := row["dual_difference"].(float64); apart > 1e-3 {
			t.Errorf("%v: the objectives %v and %v are %g apart", row["program"], row["dual"], rows[0]["dual"], apart)
		}
	}
}
