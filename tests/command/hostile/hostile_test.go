package hostile

import (
	"fmt"
	"strings"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/heaptest"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestHostileRows: what no row may be, with the place where it is.
func TestHostileRows(t *testing.T) {
	f := commandtest.NewFolder(t)
	bad := f.At("bad")
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
			f.File("bad", c.text)
			commandtest.Check(t, f, commandtest.Fault{Name: c.name, Args: []string{"train", "--quiet", "-o", f.At("new"), bad}, Code: contract.ExitInput, Want: bad + c.want})
		})
	}
	t.Run("line longer than 64 MiB", func(t *testing.T) {
		testlevel.SkipBelow(t, testlevel.EveryKind) // A device without an end is such a line as well, in TestHostileFiles.
		f.File("bad", commandtest.Plain+strings.Repeat("1 ", 33<<20))
		commandtest.Check(t, f, commandtest.Fault{Name: "", Args: []string{"train", "--quiet", "-o", f.At("new"), bad}, Code: contract.ExitInput, Want: bad + ":7: line longer than 67108864 bytes"})
	})
	t.Run("NaN weight", func(t *testing.T) {
		f.File("bad", commandtest.Plain)
		for i, w := range []string{"nan", "inf", "-1", "1e400", "0x1", "1_0", ""} {
			weights := f.File("weights", "1\n1\n"+w+" 1\n1\n1\n1\n")
			place := ":3:1: "
			if w == "" { // only the second column is there
				place = ": only 5 weights"
				f.File("weights", "1\n1\n\n1\n1\n1\n")
			}
			commandtest.Check(t, f, commandtest.Fault{Name: fmt.Sprint(i), Args: []string{"train", "--quiet", "-o", f.At("new"), "--row-weights", weights, bad}, Code: contract.ExitInput, Want: weights + place})
		}
	})
}

// TestHarmlessRows: ways to write the same rows give the same model, byte for byte.
func TestHarmlessRows(t *testing.T) {
	f := commandtest.NewFolder(t)
	model := func(text string) string {
		commandtest.Must(t, "train", "--quiet", "-o", f.At("m"), f.File("data", text))
		return f.Read("m")
	}
	want := model(commandtest.Plain)
	for name, text := range map[string]string{
		"tabs": strings.ReplaceAll(commandtest.Plain, " ", "\t"), "CRLF": strings.ReplaceAll(commandtest.Plain, "\n", "\r\n"), "byte order mark": "\ufeff" + commandtest.Plain,
		"no newline at the end": strings.TrimSuffix(commandtest.Plain, "\n"), "comments": "# data\n\n" + strings.ReplaceAll(commandtest.Plain, "\n", " # row\n"),
		"blanks": strings.ReplaceAll(commandtest.Plain, " ", "  \t ") + "\n\n", "labels": strings.ReplaceAll(commandtest.Plain, "1 1:", "1.0e0 1:"),
		"signs": strings.ReplaceAll(commandtest.Plain, ":", ":+"), "query ids": strings.ReplaceAll(commandtest.Plain, " 2:", " 2:"),
		"gzip": packed(t, "gz", commandtest.Plain), "zstd": packed(t, "zst", commandtest.Plain), "members": packed(t, "gz", commandtest.Plain[:12]) + packed(t, "gz", commandtest.Plain[12:]),
	} {
		if name == "signs" { // +-1 is not a number
			text = strings.ReplaceAll(text, ":+-", ":-")
		}
		if model(text) != want {
			t.Errorf("%s: another model", name)
		}
	}
}

// TestDegenerateData works, with a warning where a slip is likely, and all numbers are finite.
func TestDegenerateData(t *testing.T) {
	f := commandtest.NewFolder(t)
	equal := strings.Repeat("1 1:1 2:2\n-1 1:1 2:2\n", 5)
	for _, c := range []struct {
		name, text string
		args       []string
		warning    string
	}{
		{"duplicate rows", commandtest.Plain + commandtest.Plain + commandtest.Plain, nil, ""},
		{"all rows equal", equal, nil, "one class"},
		{"all rows equal, not normalised", equal, []string{"--normalize", "none"}, "one class"},
		{"all rows equal, spherical", equal, []string{"--normalize", "spherical", "--kernels", "linear,gauss:1"}, "one class"},
		{"all rows equal, scaled", equal, []string{"--scale", "standard"}, "2 of 2 features are constant"},
		{"a constant feature, standard", "1 1:1 2:5\n-1 1:2 2:5\n1 1:3 2:5\n", []string{"--scale", "standard"}, "1 of 2 features are constant"},
		{"a constant feature, minmax", "1 1:1 2:5\n-1 1:2 2:5\n1 1:3 2:5\n", []string{"--scale", "minmax"}, "1 of 2 features are constant"},
		{"zeros, global", "1 1:0\n-1 1:0\n", []string{"--scale", "global"}, "one class"},
		{"a row of zeros, spherical", commandtest.Plain + "1\n", []string{"--normalize", "spherical", "--kernels", "linear,poly:2:1:0,chi2:1,intersection", "--scale", "minmax"}, ""},
		{"the same, unscaled", commandtest.Plain + "1\n", []string{"--normalize", "spherical", "--kernels", "linear,poly:2:1:0"}, "1 of 7 rows are 0 in all features"},
		{"the same, sparse", commandtest.Plain + "1\n", []string{"--normalize", "spherical", "--kernels", "linear", "--store", "sparse"}, "1 of 7 rows are 0 in all features"},
		{"a sigmoid that is not positive", "1 1:1\n-1 1:1.5 2:1\n1 2:2\n", []string{"--kernels", "sigmoid:2:-3,linear"}, "kernel 1 (sigmoid:2:-3) is indefinite here: weight 0"},
		{"a class of one row", strings.ReplaceAll(commandtest.Plain, "-1 ", "1 ") + "-1 1:9\n", nil, ""},
		{"tiny and huge", "1 1:1e-300 2:1e30\n-1 1:-1e-300 2:-1e30\n", []string{"--kernels", "linear"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := f.File("data", c.text)
			o := commandtest.Try(append([]string{"train", "--quiet", "-o", f.At("m"), data}, c.args...)...)
			if o.Code != contract.ExitFine {
				t.Fatalf("exit code %d: %s", o.Code, o.Stderr)
			}
			if !strings.Contains(o.Stderr, c.warning) || c.warning == "" && o.Stderr != "" {
				t.Errorf("standard error %q, want %q", o.Stderr, c.warning)
			}
			for _, word := range []string{"NaN", "Inf"} {
				if strings.Contains(o.Stdout, word) || strings.Contains(commandtest.Must(t, "inspect", "--json", f.At("m")).Stdout, word) ||
					strings.Contains(commandtest.Must(t, "predict", "--quiet", f.At("m"), data).Stdout, word) {
					t.Errorf("%s in the output", word)
				}
			}
			commandtest.Must(t, "verify", "--quiet", f.At("m"), data)
		})
	}
}

// TestHostileKernels: values that are not finite are traced to their kernel.
func TestHostileKernels(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("data", "1 1:1e10\n-1 1:3e10 2:1\n1 2:5e10\n")
	for _, task := range []string{"class", "rkda", "med", "mixture"} {
		for _, c := range []struct{ normalize, precision string }{{"none", "32"}, {"none", "64"}, {"none", "auto"}, {"multiplicative", "auto"}, {"spherical", "64"}} {
			commandtest.Check(t, f, commandtest.Fault{Name: "", Args: []string{"train", "--quiet", "-o", f.At("new"), "--task", task, "--kernels", "linear,poly:30", "--normalize", c.normalize, "--precision", c.precision, data},
				Code: contract.ExitInput, Want: data + ": kernel 2 (poly:30) takes values that are not finite"})
		}
	}
	// Three rows with an index of two milliards cost by the features that occur, and a kernel of so many features by its table.
	wide := f.File("wide", "1 1:1\n-1 2000000000:1\n1 5:1\n")
	for _, args := range [][]string{nil, {"--store", "sparse", "--kernels", "linear"}, {"--store", "dense"}} {
		used := heaptest.Allocated(func() {
			commandtest.Must(t, append([]string{"train", "--quiet", "--memory", "4GiB", "-o", f.At("new"), wide}, args...)...)
		})
		if used > 64<<20 {
			t.Errorf("%q: %d MiB", args, used>>20)
		}
		commandtest.Must(t, "verify", f.At("new"), wide)
	}
	for _, args := range [][]string{{"--kernels", "linear@1-1000000000"}} {
		var o commandtest.Outcome
		used := heaptest.Allocated(func() {
			o = commandtest.Try(append([]string{"train", "--quiet", "--memory", "4GiB", "-o", f.At("new"), wide}, args...)...)
		})
		if o.Code != contract.ExitBudget || !strings.Contains(o.Stderr, "2000000000 features") || used > 64<<20 {
			t.Errorf("%q: exit code %d after %d MiB: %s", args, o.Code, used>>20, o.Stderr)
		}
	}
	for _, specs := range []string{"gauss:0.001..10/1048576@random:2*1000", "linear@random:2*100000000", "gauss:0.001..10/2000000000@each-feature"} {
		var o commandtest.Outcome
		used := heaptest.Allocated(func() {
			o = commandtest.Try("train", "--quiet", "--memory", "256MiB", "-o", f.At("new"), "--kernels", specs, f.File("data", commandtest.Plain))
		})
		if o.Code != contract.ExitBudget && o.Code != contract.ExitUsage || used > 64<<20 {
			t.Errorf("%s: exit code %d after %d MiB: %s", specs, o.Code, used>>20, o.Stderr)
		}
	}
}
