package main

import (
	"bigmkl/internal/testlevel"
	"strings"
	"testing"
)

// TestCombine: every part has its lines, and without the data it names the absent sets.
func TestCombine(t *testing.T) {
	if r := found(t, t.TempDir(), "combine", "noise"); len(r.Tables) != 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "yeast-ml is absent") {
		t.Errorf("without data: %+v", r)
	}
	data := testlevel.NeedRealData(t)
	r := found(t, data, "combine", "noise", "weights", "missing", "--quick")
	if len(r.Tables) != 3 {
		t.Fatalf("%d tables", len(r.Tables))
	}
	for k, lines := range []int{3, 9, 1} {
		if n := len(r.Tables[k].Rows); n != lines {
			t.Errorf("%s: %d lines", r.Tables[k].Title, n)
		}
	}
	// Without copies, and with weights that are learned, the two parts have the same trials.
	auc := r.Tables[0].Rows[0]["learned"].(string)
	if note := r.Tables[1].Notes[0]; !strings.Contains(note, auc) {
		t.Errorf("learned weights have an AUC of %s, and %s", auc, note)
	}
}
