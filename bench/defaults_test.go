package main

import (
	"strings"
	"testing"

	"bigmkl/internal/testlevel"
)

// TestDefaults: without data there are generated rows, every method of bigmkl has a figure with an error and a
// time, and other libraries have theirs or are named as absent.
func TestDefaults(t *testing.T) {
	methods := []string{"default", "none", "standard"}
	if testlevel.Reached(testlevel.EveryKind) { // Python needs seconds to start.
		methods = append(methods, "svc")
	}
	r := found(t, t.TempDir(), "defaults", "--quick", "--methods", strings.Join(methods, ","), "--cost", "1,100", "--kernels", "linear")
	if len(r.Tables) != 3 || len(r.Tables[0].Rows) != 3 || len(r.Tables[1].Rows) != 2 || len(r.Tables[2].Rows) != 4 {
		t.Fatalf("%+v", r)
	}
	notes := strings.Join(r.Notes, "\n")
	if !strings.Contains(notes, "heart is absent") || !strings.Contains(notes, "synthetic rows") {
		t.Errorf("notes %q", notes)
	}
	peers := !strings.Contains(notes, "no Python has scikit-learn")
	for _, row := range r.Tables[0].Rows[:2] {
		for _, name := range methods {
			if name == "svc" && !peers {
				continue
			}
			h, _ := row[name].(map[string]any)
			if h == nil || !(h["mean"].(float64) > 0.3) || !(h["error"].(float64) > 0) || !(h["cpu_seconds"].(float64) > 0) {
				t.Errorf("%v: %s has %v", row["set"], name, h)
			}
		}
		if _, there := row["minmax"]; there || row["choice"] == "" {
			t.Errorf("minmax was not asked for: %v", row)
		}
	}
	if name := r.Tables[0].Rows[2]["set"]; name != "mean of 1 sets of classes" {
		t.Errorf("the last row is %v", name)
	}
}
