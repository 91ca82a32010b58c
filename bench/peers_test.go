package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/internal/testlevel"
)

// TestPeers compares with whatever is installed; what is not is named.
func TestPeers(t *testing.T) {
	testlevel.SkipBelow(t, testlevel.EveryKind) // links the command, and other programs start slowly
	// What other tests have compiled is not compiled again, as it is for a program without cgo.
	program := filepath.Join(t.TempDir(), "bigmkl")
	if out, err := exec.Command("go", "build", "-o", program, "bigmkl/cmd/bigmkl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	args := []string{"peers", "--quick", "--program", program}
	// Not every peer has regression.
	for _, lines := range testlevel.Some(t, "", 1, [][]string{{"text"}, {"pairs"}, {"text", "regression"}}) {
		for _, line := range lines {
			args = append(args, "--only", line)
		}
	}
	r := found(t, "", args...)
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
