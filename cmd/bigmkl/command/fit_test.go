package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"os"
	"strings"
	"testing"
)

// TestTestsThatDoNotFit: a test file with features that the training rows do not have, or with a fault in its first rows, is refused
// before the training, and no model is written; what a view declares is there.
func TestTestsThatDoNotFit(t *testing.T) {
	f := newFolder(t)
	data := f.file("data", "1 1:1 2:2\n-1 1:2\n1 1:1 2:3\n-1 1:3\n1 3:1\n")
	const message = ":2: feature 4, but the training rows have only 3 features (a view of --views that ends at feature 4 declares it"
	long, short := f.file("long", "1 1:1\n-1 1:1 4:1\n1 2:1\n"), f.file("short", "1 1:1\n-1 3:1\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--test", short}, contract.ExitFine, ""}, {[]string{"--test", long}, contract.ExitInput, long + message},
		{[]string{"--test", long, "--path-C", "1,2"}, contract.ExitInput, long + message},
		{[]string{"--test", short, "--limit", "4"}, contract.ExitInput, short + ":2: feature 3, but the training rows have only 2 features"},
		{[]string{"--test", f.file("three", "1 1:1\n"), "--limit", "4"}, contract.ExitFine, ""},
		{[]string{"--test", long, "--views", f.file("views", "a 1 4\n")}, contract.ExitFine, ""},
		{[]string{"--test", f.file("bad", "1 1:1\n-1 x\n")}, contract.ExitInput, f.at("bad") + ":2:4: "},
		{[]string{"--task", "svr", "--test", f.file("name", "1 1:1\nb 1:1\n")}, contract.ExitInput, f.at("name") + ":2:1: "},
	} {
		os.Remove(f.at("m-1"))
		o := try(append([]string{"train", "--quiet", "-o", f.at("m-1"), data}, c.args...)...)
		if strings.Contains(strings.Join(c.args, " "), "path") {
			o = try(append([]string{"train", "--quiet", "-o", f.at("m-%C"), data}, c.args...)...)
		}
		_, err := os.Stat(f.at("m-1"))
		if o.code != c.code || !strings.Contains(o.stderr, c.want) || (err == nil) != (c.code == contract.ExitFine) {
			t.Errorf("%q: exit code %d, %q, model: %v", c.args, o.code, o.stderr, err)
		}
	}
}

// TestLateFaultsOfTests: a fault behind the rows that are read before the training is found in the test, which says that there is a model.
func TestLateFaultsOfTests(t *testing.T) {
	f := newFolder(t)
	data := f.file("data", text(30, 1))
	test := f.file("test", strings.Repeat("1 1:1\n", checkedRows)+"1 31:1\n")
	o := try("train", "--quiet", "--kernels", "linear", "-o", f.at("m"), "--test", test, data)
	if _, err := os.Stat(f.at("m")); o.code != contract.ExitInput || err != nil || !strings.Contains(o.stderr, "the model is written to "+f.at("m")) || !strings.Contains(o.stderr, "feature 31, but the model has only 30") {
		t.Errorf("exit code %d, %q, %v", o.code, o.stderr, err)
	}
}

// TestIgnoreExtraFeatures: rows with features that no training row had are predicted as if these
// were 0, by every command that predicts rows, which say how many values they ignored.
func TestIgnoreExtraFeatures(t *testing.T) {
	f := newFolder(t)
	data, plain := f.file("data", text(40, 1)), text(20, 2)
	more := f.file("more", strings.ReplaceAll(plain, "\n", " 901:7 902:0 1000:-3\n"))
	without := f.file("without", plain)
	for _, store := range []string{"dense", "sparse"} {
		trained := object(t, contract.ExitFine, "train", "--quiet", "--json", "--store", store, "-o", f.at("m"),
			"--ignore-extra-features", "--test", more, data)
		want := must(t, "predict", f.at("m"), without)
		got := must(t, "predict", "--ignore-extra-features", f.at("m"), more)
		const warning = "warning: 40 values of features that no training row had were ignored"
		if got.stdout != want.stdout || !strings.Contains(got.stderr, warning) {
			t.Errorf("%s: %q differs from %q, or no warning in %q", store, got.stdout, want.stdout, got.stderr)
		}
		e := object(t, contract.ExitFine, "predict", "--json", "--ignore-extra-features", f.at("m"), without)
		if a, b := trained["test"].(map[string]any)["accuracy"], e["accuracy"]; a != b {
			t.Errorf("%s: accuracy %v in training, %v in prediction", store, a, b)
		}
		o := try("report", "-o", f.at("page"), "--ignore-extra-features", "--test", more, f.at("m"))
		if o.code != contract.ExitFine || !strings.Contains(o.stderr, warning) {
			t.Errorf("%s: report: exit code %d, %q", store, o.code, o.stderr)
		}
		o = try("predict", f.at("m"), more)
		if o.code != contract.ExitInput || !strings.Contains(o.stderr, "--ignore-extra-features") {
			t.Errorf("%s: exit code %d, %q", store, o.code, o.stderr)
		}
	}
	o := try("train", "--ignore-extra-features", "-o", f.at("m"), data)
	if o.code != contract.ExitUsage || !strings.Contains(o.stderr, "no effect without --test") {
		t.Errorf("no test: exit code %d, %q", o.code, o.stderr)
	}
}
