package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"

	"bigmkl/bench/internal/harness"
	"bigmkl/internal/testmain"
)

// TestMain makes the test binary serve as the program of a training.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == harness.ChildName {
		main()
		return
	}
	testmain.Run(m)
}

// invoke runs a command line and gives what it prints.
func invoke(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	c := newRootCommand(nil, &out, &errs)
	c.SetArgs(args)
	if err := c.ExecuteContext(context.Background()); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, errs.String())
	}
	return out.String(), errs.String()
}

// found runs an experiment without data, or on the data of a folder, and gives its report.
func found(t *testing.T, data string, args ...string) (r struct {
	Experiment, Machine, SIMD, Go, Commit, Date string
	Threads                                     int
	Notes                                       []string
	Tables                                      []struct {
		Title string
		Rows  []map[string]any
		Notes []string
	}
}) {
	t.Helper()
	out, _ := invoke(t, append(args, "--json", "--data", data, "--scratch", t.TempDir())...)
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return r
}

// certified checks the certificate of a training's row.
func certified(t *testing.T, row map[string]any) {
	t.Helper()
	gap, _ := row["relative_gap"].(float64)
	if target, _ := row["target_gap"].(float64); row["status"] != "converged" || !(gap <= target) {
		t.Errorf("status %v at a gap of %v, asked %v", row["status"], gap, row["target_gap"])
	}
	for _, key := range []string{"n", "kernels", "train_seconds", "iterations", "passes", "rows", "support_vectors", "peak_rss_bytes", "peak_anonymous_bytes"} {
		if v, _ := row[key].(float64); !(v > 0) {
			t.Errorf("%s is %v", key, row[key])
		}
	}
}
