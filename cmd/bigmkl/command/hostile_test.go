package command

import (
	"fmt"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/heaptest"
)

// The tests of the files hostile_*_test.go are a table of the worst that input can be, with a row for
// each case. This file has rows and kernels. The table leaves out what the program does not have: CSV
// files, folds of a cross-validation, a flag that ignores further features, and a size of the working
// set on the command line. Interrupts are in signal_test.go, options that make no sense in
// faults_test.go, and a matrix that is cut short during the training in changed_test.go of the
// library.

// plain is a small problem that every kernel can learn, with both features in use.
const plain = "1 1:1 2:0.5\n-1 1:-1 2:0.25\n1 1:2 2:-0.5\n-1 1:-2 2:0.75\n1 1:1.5\n-1 2:2\n"

// TestHostileRows: what no row may be, with the place where it is.
func TestHostileRows(t *testing.T) {
	f := newFolder(t)
	bad := f.at("bad")
	for _, c := range []struct{ name, text, want string }{
		{"empty file", "", ": no rows"},
		{"only comments and blank lines", "# a\n\n \t \n#\n", ": no rows"},
		{"NaN feature", "1 1:1\n-1 1:2 3:nan\n", ":2:8: "},
		{"infinite feature", "1 1:Inf\n", ":1:3: "},
		{"minus infinite feature", "1 1:-inf\n", ":1:3: "},
		{"the word infinity", "1 1:infinity\n", ":1:3: "},
		{"beyond float64", "1 1:1e400\n", ":1:3: "},
		{"digits in groups", "1 1:1_000\n", ":1:3: "},
		{"hexadecimal", "1 1:0x1p3\n", ":1:3: "},
		{"decimal comma", "1 1:0,5\n", ":1:3: "},
		{"NaN label", "1 1:1\nnan 1:1\n", ":2:1: "},
		{"infinite label", "Inf 1:1\n", ":1:1: "},
		{"label beyond float64", "1e400 1:1\n", ":1:1: "},
		{"label in groups", "1_000 1:1\n", ":1:1: "},
		{"hexadecimal label", "0x1p3 1:1\n", ":1:1: "},
		{"label that is no integer", "1 1:1\n1.2 1:1\n", ":2:1: "},
		{"label beyond int64", "9223372036854775808 1:1\n", ":1:1: "},
		{"label that is no text", "\xff\xfe 1:1\n", ":1:1: "},
		{"label of escapes", "\x1b[31m 1:1\n", ":1:1: "},
		{"long label", strings.Repeat("a", 2000) + " 1:1\n", ":1:1: "},
		{"no label", "1 1:1\n1:1\n", ":2: the row has no label"},
		{"index 0", "1 1:1\n-1 0:1\n", ":2:4: "},
		{"negative index", "1 -1:1\n", ":1:3: "},
		{"repeated index", "1 2:1 2:1\n", ":1:7: "},
		{"decreasing index", "1 2:1 1:1\n", ":1:7: "},
		{"index 2^31", "1 2147483648:1\n", ":1:3: "},
		{"index beyond int64", "1 9223372036854775808:1\n", ":1:3: "},
		{"index beyond uint64", "1 99999999999999999999999:1\n", ":1:3: "},
		{"no value", "1 1:\n", ":1:3: "},
		{"no index", "1 :1\n", ":1:3: "},
		{"two colons", "1 1:2:3\n", ":1:3: "},
		{"two colons first", "1:2:3\n", ":1:1: "},
		{"NUL", "1 1:1\n-1 1:\x001\n", ":2:6: NUL byte"},
		{"binary", "\x7fELF\x02\x01\x01\x00\x00\x00", ":1:8: NUL byte"},
		{"UTF-16", "\xff\xfe1\x00 \x001\x00", ": the file is text in UTF-16, which is not read (iconv"},
		{"one class", "1 1:1\n1 2:1\n", `: only one class: all 2 rows are "1"`},
		{"three classes", "1 1:1\n2 2:1\n3 1:2\n1 1:3\n", ": 3 classes where two are needed: 1 (2), 2 (1), 3 (1)"},
		{"regression data", "1.5 1:1\n", ":1:1: "},
		{"no features", "1\n-1\n1\n", ": no row has a feature"},
		{"CSV", "1,0.5,2\n-1,0.25,3\n", ":1: no column is called label, class, target or y (--label COLUMN"},
		{"JSON", "{\"label\": 1}\n", ":1:11: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.file("bad", c.text)
			check(t, f, fault{c.name, []string{"train", "--quiet", "-o", f.at("new"), bad}, contract.ExitInput, bad + c.want})
		})
	}
	t.Run("line longer than 64 MiB", func(t *testing.T) {
		f.file("bad", plain+strings.Repeat("1 ", 33<<20))
		check(t, f, fault{"", []string{"train", "--quiet", "-o", f.at("new"), bad}, contract.ExitInput, bad + ":7: line longer than 67108864 bytes"})
	})
	t.Run("NaN weight", func(t *testing.T) {
		f.file("bad", plain)
		for i, w := range []string{"nan", "inf", "-1", "1e400", "0x1", "1_0", ""} {
			weights := f.file("weights", "1\n1\n"+w+" 1\n1\n1\n1\n")
			place := ":3:1: "
			if w == "" { // only the second column is there
				place = ": only 5 weights"
				f.file("weights", "1\n1\n\n1\n1\n1\n")
			}
			check(t, f, fault{fmt.Sprint(i), []string{"train", "--quiet", "-o", f.at("new"), "--row-weights", weights, bad}, contract.ExitInput, weights + place})
		}
	})
}

// TestHarmlessRows: ways to write the same rows give the same model, byte for byte.
func TestHarmlessRows(t *testing.T) {
	f := newFolder(t)
	model := func(text string) string {
		must(t, "train", "--quiet", "-o", f.at("m"), f.file("data", text))
		return f.read("m")
	}
	want := model(plain)
	for name, text := range map[string]string{
		"tabs": strings.ReplaceAll(plain, " ", "\t"), "CRLF": strings.ReplaceAll(plain, "\n", "\r\n"), "byte order mark": "\ufeff" + plain,
		"no newline at the end": strings.TrimSuffix(plain, "\n"), "comments": "# data\n\n" + strings.ReplaceAll(plain, "\n", " # row\n"),
		"blanks": strings.ReplaceAll(plain, " ", "  \t ") + "\n\n", "labels": strings.ReplaceAll(plain, "1 1:", "1.0e0 1:"),
		"signs": strings.ReplaceAll(plain, ":", ":+"), "query ids": strings.ReplaceAll(plain, " 2:", " 2:"),
		"gzip": packed(t, "gz", plain), "zstd": packed(t, "zst", plain), "members": packed(t, "gz", plain[:12]) + packed(t, "gz", plain[12:]),
	} {
		if name == "signs" { // +-1 is no number
			text = strings.ReplaceAll(text, ":+-", ":-")
		}
		if model(text) != want {
			t.Errorf("%s: another model", name)
		}
	}
}

// TestDegenerateData works, with a warning where a slip is likely, and all numbers are finite.
func TestDegenerateData(t *testing.T) {
	f := newFolder(t)
	equal := strings.Repeat("1 1:1 2:2\n-1 1:1 2:2\n", 5)
	for _, c := range []struct {
		name, text string
		args       []string
		warning    string
	}{
		{"duplicate rows", plain + plain + plain, nil, ""},
		{"all rows equal", equal, nil, "one class"},
		{"all rows equal, not normalised", equal, []string{"--normalize", "none"}, "one class"},
		{"all rows equal, spherical", equal, []string{"--normalize", "spherical", "--kernels", "linear,gauss:1"}, "one class"},
		{"all rows equal, scaled", equal, []string{"--scale", "standard"}, "2 of 2 features are constant"},
		{"a constant feature, standard", "1 1:1 2:5\n-1 1:2 2:5\n1 1:3 2:5\n", []string{"--scale", "standard"}, "1 of 2 features are constant"},
		{"a constant feature, minmax", "1 1:1 2:5\n-1 1:2 2:5\n1 1:3 2:5\n", []string{"--scale", "minmax"}, "1 of 2 features are constant"},
		{"zeros, global", "1 1:0\n-1 1:0\n", []string{"--scale", "global"}, "one class"},
		{"a row of zeros, spherical", plain + "1\n", []string{"--normalize", "spherical", "--kernels", "linear,poly:2:1:0,chi2:1,intersection", "--scale", "minmax"}, ""},
		{"the same, unscaled", plain + "1\n", []string{"--normalize", "spherical", "--kernels", "linear,poly:2:1:0"}, "1 of 7 rows are 0 in all features"},
		{"the same, sparse", plain + "1\n", []string{"--normalize", "spherical", "--kernels", "linear", "--store", "sparse"}, "1 of 7 rows are 0 in all features"},
		{"a sigmoid that is not positive", "1 1:1\n-1 1:1.5 2:1\n1 2:2\n", []string{"--kernels", "sigmoid:2:-3,linear"}, "kernel 1 (sigmoid:2:-3) is indefinite here: weight 0"},
		{"a class of one row", strings.ReplaceAll(plain, "-1 ", "1 ") + "-1 1:9\n", nil, ""},
		{"tiny and huge", "1 1:1e-300 2:1e30\n-1 1:-1e-300 2:-1e30\n", []string{"--kernels", "linear"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := f.file("data", c.text)
			o := try(append([]string{"train", "--quiet", "-o", f.at("m"), data}, c.args...)...)
			if o.code != contract.ExitFine {
				t.Fatalf("exit code %d: %s", o.code, o.stderr)
			}
			if !strings.Contains(o.stderr, c.warning) || c.warning == "" && o.stderr != "" {
				t.Errorf("standard error %q, want %q", o.stderr, c.warning)
			}
			for _, word := range []string{"NaN", "Inf"} {
				if strings.Contains(o.stdout, word) || strings.Contains(must(t, "inspect", "--json", f.at("m")).stdout, word) ||
					strings.Contains(must(t, "predict", "--quiet", f.at("m"), data).stdout, word) {
					t.Errorf("%s in the output", word)
				}
			}
			must(t, "verify", "--quiet", f.at("m"), data)
		})
	}
}

// TestHostileKernels: values that are not finite are traced to their kernel.
func TestHostileKernels(t *testing.T) {
	f := newFolder(t)
	data := f.file("data", "1 1:1e10\n-1 1:3e10 2:1\n1 2:5e10\n")
	for _, c := range []struct{ normalize, precision string }{{"none", "32"}, {"none", "64"}, {"none", "auto"}, {"multiplicative", "auto"}, {"spherical", "64"}} {
		check(t, f, fault{"", []string{"train", "--quiet", "-o", f.at("new"), "--kernels", "linear,poly:30", "--normalize", c.normalize, "--precision", c.precision, data},
			contract.ExitInput, data + ": kernel 2 (poly:30) takes values that are not finite"})
	}
	// Three rows with an index of two milliards: stored sparsely they are small, but tables of so many features are not.
	wide := f.file("wide", "1 1:1\n-1 2000000000:1\n1 5:1\n")
	for _, args := range [][]string{nil, {"--store", "sparse", "--kernels", "linear"}, {"--store", "dense"}, {"--kernels", "linear@1-1000000000"}} {
		var o outcome
		used := heaptest.Allocated(func() {
			o = try(append([]string{"train", "--quiet", "--memory", "4GiB", "-o", f.at("new"), wide}, args...)...)
		})
		if o.code != contract.ExitBudget || !strings.Contains(o.stderr, "2000000000 features") || used > 64<<20 {
			t.Errorf("%q: exit code %d after %d MiB: %s", args, o.code, used>>20, o.stderr)
		}
	}
	for _, specs := range []string{"gauss:0.001..10/1048576@random:2*1000", "linear@random:2*100000000", "gauss:0.001..10/2000000000@each-feature"} {
		var o outcome
		used := heaptest.Allocated(func() {
			o = try("train", "--quiet", "--memory", "256MiB", "-o", f.at("new"), "--kernels", specs, f.file("data", plain))
		})
		if o.code != contract.ExitBudget && o.code != contract.ExitUsage || used > 64<<20 {
			t.Errorf("%s: exit code %d after %d MiB: %s", specs, o.code, used>>20, o.stderr)
		}
	}
}
