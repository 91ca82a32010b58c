package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
	v := &side{label: "base", program: stub(t, `{"status": "converged", "train_seconds": 0.25, "iterations": 7, "passes": 9, "relative_gap": 5e-4,
		"support_vectors": 3, "peak_rss_bytes": 4096, "dual": 1.5, "theta": [1, "inf"]}`)}
	b := benchmark{name: "Train/x/p=1", samples: map[*side][]trained{}}
	for range 2 {
		if err := b.run(context.Background(), v); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := v.trainings.String(), strings.Repeat("BenchmarkTrain/x/p=1 1 250000000 ns/op 4096 peak-RSS-bytes\n", 2); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	var table table
	b.rows(&table, []*side{v, {label: "head"}})
	if len(table.Rows) != 1 || table.Rows[0] != (regressRow{"Train/x/p=1", "base", 2, 0.25, 7, 9, 3, 5e-4, "converged", 4096, 1.5}) {
		t.Errorf("%+v", table.Rows)
	}
	v.program = stub(t, "no JSON")
	if err := b.run(context.Background(), v); err == nil || !strings.Contains(err.Error(), "Train/x/p=1 at base") {
		t.Errorf("%v", err)
	}
}

func TestSidesTakeTurns(t *testing.T) {
	s := testSession(t)
	c := &comparison{session: s, report: &report{}, dir: t.TempDir()}
	if err := c.prepare(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, b := range c.list {
		text, err := os.ReadFile(b.args[len(b.args)-1])
		if err != nil || !bytes.HasPrefix(text, []byte("1 ")) && !bytes.HasPrefix(text, []byte("-1 ")) || !slices.Contains(b.args, "--json") {
			t.Errorf("%s: %v, %q", b.name, err, b.args)
		}
	}
	good := stub(t, `{"status": "converged", "train_seconds": 1}`)
	c.sides = [2]*side{{label: "base", program: good}, {label: "head", program: good}}
	c.list[0].args, c.list[1].failed = nil, true
	if err := c.alternate(context.Background(), 3); err != nil {
		t.Fatal(err)
	}
	if n := len(c.list[0].samples[c.sides[1]]); n != 3 {
		t.Errorf("%d runs of head", n)
	}
	if n := len(c.list[1].samples[c.sides[0]]); n != 0 {
		t.Errorf("%d runs of what had failed", n)
	}
	c.sides[1].program = "/nowhere"
	if err := c.alternate(context.Background(), 1); err != nil || !c.list[0].failed || len(c.report.Notes) == 0 {
		t.Errorf("%v, %q", err, c.report.Notes)
	}
}
