package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"
)

// fault is a command line that must fail in one way.
type fault struct {
	name string
	args []string
	code int
	want string // what the line on standard error starts with, after "bigmkl: "
}

// TestBadInput: one clear line with the place, the right exit code, and nothing left behind.
func TestBadInput(t *testing.T) {
	f, data, test, path := trained(t)
	train := func(text string, more ...string) []string {
		return append([]string{"train", "--quiet", "-o", f.at("new"), f.file("bad.txt", text)}, more...)
	}
	bad := f.at("bad.txt")
	good := text(20, 1)
	lines := func(args ...string) []string { return args }
	for _, c := range []struct {
		name string
		text string // "" when the files are there
		args []string
		code int
		want string
	}{
		{"NaN", "1 1:1\n-1 1:2 3:nan\n", nil, exitInput, bad + ":2:8: "},
		{"infinite", "1 1:1e400\n", nil, exitInput, bad + ":1:3: "},
		{"index zero", "1 1:1\n-1 0:1\n", nil, exitInput, bad + ":2:4: "},
		{"indices out of order", "1 2:1 1:1\n", nil, exitInput, bad + ":1:7: "},
		{"index twice", "1 2:1 2:1\n", nil, exitInput, bad + ":1:7: "},
		{"regression data", "1.5 1:1\n", nil, exitInput, bad + ":1:1: "},
		{"no label", "1 1:1\n1:1\n", nil, exitInput, bad + ":2: "},
		{"one class", "1 1:1\n1 2:1\n", nil, exitInput, f.at("bad.txt") + ": only one class"},
		{"three classes", "1 1:1\n2 2:1\n3 1:2\n", nil, exitInput, f.at("bad.txt") + ": 3 classes"},
		{"empty file", "\n", nil, exitInput, bad + ": no rows"},
		{"unknown view", good, lines("--kernels", "linear@nowhere"), exitUsage, ""},
		{"feature that is not there", good, lines("--kernels", "linear@100-101"), exitUsage, ""},
		{"label that never occurs", good, lines("--positive", "7"), exitInput, ""},
		{"class that is not there", good, lines("--class-weight", "7=2"), exitUsage, ""},
		{"no memory", good, lines("--memory", "1"), exitBudget, ""},
		{"views", good, lines("--views", f.file("v1", "a 1 2\nb 3\n")), exitInput, f.at("v1") + ":2: "},
		{"views backwards", good, lines("--views", f.file("v2", "a 5 2\n")), exitInput, f.at("v2") + ":1: "},
		{"kernel file", good, lines("--kernels", "@"+f.file("k1", "# bank\nlinear\nnonsense:1\n")), exitUsage, f.at("k1") + ":3: "},
		{"too few weights", good, lines("--row-weights", f.file("w1", "1\n2\n")), exitInput, f.at("w1")},
		{"bad weight", good, lines("--row-weights", f.file("w2", "1\n-2\n")), exitInput, f.at("w2") + ":2:1: "},
		{"ragged matrix", good, lines("--kernels", "precomputed:"+f.file("m1", strings.Repeat("1234", 20*20+3))), exitInput, f.at("m1") + ": "},
		{"matrix of another size", good, lines("--kernels", "precomputed:"+f.file("m2", strings.Repeat("\x00", 4*20*19))), exitInput, f.at("m2") + ": "},
		{"no matrix", good, lines("--kernels", "precomputed:"+f.at("absent")), exitInput, f.at("absent") + ": "},
		{"no folder for the model", good, lines("-o", f.at("absent/new")), exitInput, f.at("absent/new") + ": cannot write"},
		{"folder as the model", good, lines("-o", f.path), exitInput, f.path + ": cannot write"},
		{"no folder for scratch files", good, lines("--scratch", f.at("absent")), exitUsage, f.at("absent") + ": "},
		{"no test file", good, lines("--test", f.at("absent")), exitInput, f.at("absent") + ": "},
		{"no model to start from", good, lines("--init", f.at("absent")), exitInput, f.at("absent") + ": "},
		{"model over the data", good, lines("-o", bad), exitUsage, bad + ": "},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, f, fault{c.name, train(c.text, c.args...), c.code, c.want}) })
	}
	for _, c := range []fault{
		{"missing file", lines("train", "-o", f.at("new"), f.at("absent")), exitInput, f.at("absent") + ": cannot open"},
		{"directory", lines("train", "-o", f.at("new"), f.path), exitInput, f.path + ": is a directory"},
		{"truncated gzip", lines("train", "--quiet", "-o", f.at("new"), truncatedGzip(t, f)), exitInput, f.at("data.gz") + ": "},
		{"missing model", lines("predict", f.at("absent"), test), exitInput, f.at("absent") + ": "},
		{"model from another version", lines("predict", newerModel(t, f), test, "-o", f.at("new")), exitCorrupt, f.at("newer") + ": "},
		{"damaged model", lines("verify", damagedModel(t, f), data), exitCorrupt, f.at("damaged") + ": "},
		{"truncated model", lines("inspect", f.file("short", f.read("m")[:200])), exitCorrupt, f.at("short") + ": "},
		{"no model at all", lines("inspect", data), exitCorrupt, data + ": "},
		{"features beyond the model's", lines("predict", path, f.file("wide", "1 1:1\n1 31:1\n"), "-o", f.at("new")), exitInput, f.at("wide") + ":2: "},
		{"bad row at predict", lines("predict", path, f.file("row", "1 1:1\n1 2:0x1\n"), "-o", f.at("new")), exitInput, f.at("row") + ":2:3: "},
		{"predictions over the model", lines("predict", path, test, "-o", path), exitUsage, path + ": "},
		{"full disk", lines("predict", path, test, "-o", "/dev/full"), exitBudget, ""},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, f, c) })
	}
}

// check runs the command line and looks at its one line.
func check(t *testing.T, f folder, c fault) {
	t.Helper()
	before := list(t, f.path)
	o := try(c.args...)
	if o.code != c.code {
		t.Errorf("exit code %d, want %d: %s", o.code, c.code, o.stderr)
	}
	if !strings.HasPrefix(o.stderr, "bigmkl: "+c.want) || strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("standard error %q, want a line that starts with %q", o.stderr, "bigmkl: "+c.want)
	}
	if o.stdout != "" {
		t.Errorf("standard output %q", o.stdout)
	}
	if after := list(t, f.path); len(after) != len(before) {
		t.Errorf("files before %q, after %q", before, after)
	}
}

func TestUsage(t *testing.T) {
	f, data, test, path := trained(t)
	for _, c := range []fault{
		{"no command", nil, exitUsage, "no command given"},
		{"unknown command", []string{"tran"}, exitUsage, "unknown command"},
		{"unknown flag", []string{"train", "--zap"}, exitUsage, "unknown flag: --zap"},
		{"flag without value", []string{"train", "--norm"}, exitUsage, "flag needs an argument: --norm"},
		{"no model", []string{"train", data}, exitUsage, "no model file named"},
		{"no data", []string{"train", "-o", f.at("new")}, exitUsage, "no data file named"},
		{"both norms", []string{"train", "-o", f.at("new"), data, "--norm", "1", "--theta-norm", "1"}, exitUsage, "both --norm and --theta-norm"},
		{"C of 0", []string{"train", "-o", f.at("new"), data, "-C", "0"}, exitUsage, "-C: 0 is not a positive number"},
		{"negative C", []string{"train", "-o", f.at("new"), data, "-C", "-1"}, exitUsage, "-C: -1 is not"},
		{"C no number", []string{"train", "-o", f.at("new"), data, "-C", "NaN"}, exitUsage, "-C: "},
		{"p below 1", []string{"train", "-o", f.at("new"), data, "--norm", "0.5"}, exitUsage, "--norm: p = 0.5 is not in [1, inf]"},
		{"q below 1", []string{"train", "-o", f.at("new"), data, "--theta-norm", "1/2"}, exitUsage, "--theta-norm: q = 1/2 is not in [1, inf]"},
		{"gap", []string{"train", "-o", f.at("new"), data, "--gap", "1"}, exitUsage, "--gap: "},
		{"gap of 0", []string{"train", "-o", f.at("new"), data, "--gap", "0"}, exitUsage, "--gap: "},
		{"kernel", []string{"train", "-o", f.at("new"), data, "--kernels", "gaus:1"}, exitUsage, `kernel "gaus:1"`},
		{"task", []string{"train", "-o", f.at("new"), data, "--task", "regression"}, exitUsage, "--task: "},
		{"cache", []string{"train", "-o", f.at("new"), data, "--cache", "maybe"}, exitUsage, "--cache: "},
		{"memory", []string{"train", "-o", f.at("new"), data, "--memory", "much"}, exitUsage, "--memory: "},
		{"limit", []string{"train", "-o", f.at("new"), data, "--limit", "-3"}, exitUsage, "--limit: "},
		{"store", []string{"train", "-o", f.at("new"), data, "--store", "csr"}, exitUsage, "--store: unknown store"},
		{"class weight", []string{"train", "-o", f.at("new"), data, "--class-weight", "1=0"}, exitUsage, "--class-weight: "},
		{"model and JSON", []string{"train", "-o", "-", data, "--json"}, exitUsage, "--json and the model"},
		{"matrix without test", []string{"train", "-o", f.at("new"), data, "--gram-test", "K.npy"}, exitUsage, "--gram-test"},
		{"predict alone", []string{"predict"}, exitUsage, "no model and no data"},
		{"predict nothing", []string{"predict", path}, exitUsage, "no data"},
		{"lines and JSON", []string{"predict", path, test, "--json", "-o", "-"}, exitUsage, "--json and the predictions"},
		{"verify nothing", []string{"verify", path}, exitUsage, "no data"},
		{"inspect two", []string{"inspect", path, path}, exitUsage, "2 files named"},
		{"gram without file", []string{"gram", data}, exitUsage, "no file named to write"},
		{"gram in halves", []string{"gram", data, "-o", f.at("new"), "--precision", "16"}, exitUsage, "--precision: "},
		{"demo of something", []string{"demo", data}, exitUsage, "demo takes no arguments"},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, f, c) })
	}
	o := try("train", "--norm", "x", "-C", "0", "--threads", "two")
	if o.code != exitUsage || strings.Count(o.stderr, "\n") != 5 || strings.Count(o.stderr, "bigmkl: ") != 5 {
		t.Errorf("five faults give\n%s", o.stderr)
	}
}

func truncatedGzip(t *testing.T, f folder) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text(40, 1))); err != nil {
		t.Fatal(err)
	}
	z.Close()
	return f.file("data.gz", b.String()[:b.Len()/2])
}

func newerModel(t *testing.T, f folder) string {
	s := strings.Replace(f.read("m"), `"version":"1"`, `"version":"2"`, 1)
	return f.file("newer", s)
}

func damagedModel(t *testing.T, f folder) string {
	b := []byte(f.read("m"))
	b[len(b)-9] ^= 4
	if err := os.WriteFile(f.at("damaged"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	return f.at("damaged")
}
