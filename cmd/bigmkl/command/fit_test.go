package command

import (
	"os"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestTestsThatDoNotFit: a test file with features that the training rows do not have, or with a fault in its first rows, is rejected
// before the training, and no model is written; what a view declares is there.
func TestTestsThatDoNotFit(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", "1 1:1 2:2\n-1 1:2\n1 1:1 2:3\n-1 1:3\n1 3:1\n")
	const message = ":2: feature 4, but the training rows have only 3 features (a view of --views that ends at feature 4 declares it"
	long, short := f.File("long", "1 1:1\n-1 1:1 4:1\n1 2:1\n"), f.File("short", "1 1:1\n-1 3:1\n")
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--test", short}, contract.ExitFine, ""}, {[]string{"--test", long}, contract.ExitInput, long + message},
		{[]string{"--test", long, "--path-C", "1,2"}, contract.ExitInput, long + message},
		{[]string{"--test", short, "--limit", "4"}, contract.ExitInput, short + ":2: feature 3, but the training rows have only 2 features"},
		{[]string{"--test", f.File("three", "1 1:1\n"), "--limit", "4"}, contract.ExitFine, ""},
		{[]string{"--test", long, "--views", f.File("views", "a 1 4\n")}, contract.ExitFine, ""},
		{[]string{"--test", f.File("bad", "1 1:1\n-1 x\n")}, contract.ExitInput, f.At("bad") + ":2:4: "},
		{[]string{"--task", "svr", "--test", f.File("name", "1 1:1\nb 1:1\n")}, contract.ExitInput, f.At("name") + ":2:1: "},
	} {
		os.Remove(f.At("m-1"))
		o := commandtest.Try(append([]string{"train", "--quiet", "-o", f.At("m-1"), data}, c.args...)...)
		if strings.Contains(strings.Join(c.args, " "), "path") {
			o = commandtest.Try(append([]string{"train", "--quiet", "-o", f.At("m-%C"), data}, c.args...)...)
		}
		_, err := os.Stat(f.At("m-1"))
		if o.Code != c.code || !strings.Contains(o.Stderr, c.want) || (err == nil) != (c.code == contract.ExitFine) {
			t.Errorf("%q: exit code %d, %q, model: %v", c.args, o.Code, o.Stderr, err)
		}
	}
}

// TestLateFaultsOfTests: a fault behind the rows that are read before the training is found in the test, and the message reports that there is a model.
func TestLateFaultsOfTests(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", commandtest.Text(30, 1))
	test := f.File("test", strings.Repeat("1 1:1\n", checkedRows)+"1 31:1\n")
	o := commandtest.Try("train", "--quiet", "--kernels", "linear", "-o", f.At("m"), "--test", test, data)
	if _, err := os.Stat(f.At("m")); o.Code != contract.ExitInput || err != nil || !strings.Contains(o.Stderr, "the model is written to "+f.At("m")) || !strings.Contains(o.Stderr, "feature 31, but the model has only 30") {
		t.Errorf("exit code %d, %q, %v", o.Code, o.Stderr, err)
	}
}

// TestIgnoreExtraFeatures: rows with features that no training row had are predicted as if these
// were 0, by every command that predicts rows, which report the number of ignored values.
func TestIgnoreExtraFeatures(t *testing.T) {
	f := commandtest.NewFolder(t)
	data, plain := f.File("data", commandtest.Text(40, 1)), commandtest.Text(20, 2)
	more := f.File("more", strings.ReplaceAll(plain, "\n", " 901:7 902:0 1000:-3\n"))
	without := f.File("without", plain)
	for _, store := range []string{"dense", "sparse"} {
		trained := commandtest.Object(t, contract.ExitFine, "train", "--quiet", "--json", "--store", store, "-o", f.At("m"),
			"--ignore-extra-features", "--test", more, data)
		want := commandtest.Must(t, "predict", f.At("m"), without)
		got := commandtest.Must(t, "predict", "--ignore-extra-features", f.At("m"), more)
		const warning = "warning: 40 values of features that no training row had were ignored"
		if got.Stdout != want.Stdout || !strings.Contains(got.Stderr, warning) {
			t.Errorf("%s: %q differs from %q, or no warning in %q", store, got.Stdout, want.Stdout, got.Stderr)
		}
		e := commandtest.Object(t, contract.ExitFine, "predict", "--json", "--ignore-extra-features", f.At("m"), without)
		if a, b := trained["test"].(map[string]any)["accuracy"], e["accuracy"]; a != b {
			t.Errorf("%s: accuracy %v in training, %v in prediction", store, a, b)
		}
		o := commandtest.Try("report", "-o", f.At("page"), "--ignore-extra-features", "--test", more, f.At("m"))
		if o.Code != contract.ExitFine || !strings.Contains(o.Stderr, warning) {
			t.Errorf("%s: report: exit code %d, %q", store, o.Code, o.Stderr)
		}
		o = commandtest.Try("predict", f.At("m"), more)
		if o.Code != contract.ExitInput || !strings.Contains(o.Stderr, "--ignore-extra-features") {
			t.Errorf("%s: exit code %d, %q", store, o.Code, o.Stderr)
		}
	}
	o := commandtest.Try("train", "--ignore-extra-features", "-o", f.At("m"), data)
	if o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "no effect without --test") {
		t.Errorf("no test: exit code %d, %q", o.Code, o.Stderr)
	}
}
