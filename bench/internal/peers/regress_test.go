package peers

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/bench/internal/harness"
	"bigmkl/bench/internal/harness/harnesstest"
)

// stub is a program that prints a text.
func stub(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stub")
	if err := os.WriteFile(path, []byte("#!/bin/sh\ncat <<'END'\n"+text+"\nEND\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBenchmarkOfTheCommandLine(t *testing.T) {
	v := &programVersion{label: "base", program: stub(t, `{"status": "converged", "train_seconds": 0.25, "iterations": 7, "passes": 9, "relative_gap": 5e-4,
		"support_vectors": 3, "peak_rss_bytes": 4096, "dual": 1.5, "theta": [1, "inf"]}`)}
	b := benchmarkCase{name: "Train/x/p=1", samples: map[*programVersion][]trainedJSON{}}
	for range 2 {
		if err := b.run(context.Background(), v); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := v.trainings.String(), strings.Repeat("BenchmarkTrain/x/p=1 1 250000000 ns/op 4096 peak-RSS-bytes\n", 2); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var table harness.Table
	b.rows(&table, []*programVersion{v, {label: "head"}})
	if len(table.Rows) != 1 || table.Rows[0] != (regressRow{"Train/x/p=1", "base", 2, 0.25, harness.TrainedFigures{Iterations: 7, Passes: 9, Support: 3, Gap: 5e-4, Status: "converged", Resident: 4096}, 1.5}) {
		t.Errorf("%+v", table.Rows)
	}
	v.program = stub(t, "no JSON")
	if err := b.run(context.Background(), v); err == nil || !strings.Contains(err.Error(), "Train/x/p=1 at base") {
		t.Errorf("%v", err)
	}
}

func TestSidesTakeTurns(t *testing.T) {
	s := harnesstest.NewSession(t)
	c := &comparison{Session: s, report: &harness.Report{}, dir: t.TempDir()}
	if err := c.listBenchmarks(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, b := range c.benchmarks {
		text, err := os.ReadFile(b.args[len(b.args)-1])
		if err != nil || !bytes.HasPrefix(text, []byte("1 ")) && !bytes.HasPrefix(text, []byte("-1 ")) || !slices.Contains(b.args, "--json") {
			t.Errorf("%s: %v, %q", b.name, err, b.args)
		}
	}
	good := stub(t, `{"status": "converged", "train_seconds": 1}`)
	c.versions = [2]*programVersion{{label: "base", program: good}, {label: "head", program: good}}
	c.benchmarks[0].args, c.benchmarks[1].failed = nil, true
	if err := c.runInTurns(context.Background(), 3); err != nil {
		t.Fatal(err)
	}
	if n := len(c.benchmarks[0].samples[c.versions[1]]); n != 3 {
		t.Errorf("%d runs of head", n)
	}
	if n := len(c.benchmarks[1].samples[c.versions[0]]); n != 0 {
		t.Errorf("%d runs of what had failed", n)
	}
	c.versions[1].program = "/nowhere"
	if err := c.runInTurns(context.Background(), 1); err != nil || !c.benchmarks[0].failed || len(c.report.Notes) == 0 {
		t.Errorf("%v, %q", err, c.report.Notes)
	}
}
