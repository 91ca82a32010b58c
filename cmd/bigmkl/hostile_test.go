package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/zstd"

	"bigmkl/internal/heaptest"
)

// The tests of this file are the table of what input may be like at its worst, a row each. Left out is what the program does not
// have: CSV files, folds of a cross-validation, a flag that ignores further features, a size of the working set on the command
// line. Interrupts are in signal_test.go, options that make no sense in faults_test.go, forged models in hostile_model_test.go,
// a matrix that is cut short during the training in the library's changed_test.go.

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
		{"UTF-16", "\xff\xfe1\x00 \x001\x00", ":1:4: NUL byte"},
		{"one class", "1 1:1\n1 2:1\n", `: only one class: all 2 rows are "1"`},
		{"three classes", "1 1:1\n2 2:1\n3 1:2\n1 1:3\n", ": 3 classes where two are needed: 1 (2), 2 (1), 3 (1)"},
		{"regression data", "1.5 1:1\n", ":1:1: "},
		{"no features", "1\n-1\n1\n", ": no row has a feature"},
		{"CSV", "1,0.5,2\n-1,0.25,3\n", ": no row has a feature (the file looks like comma-separated values"},
		{"JSON", "{\"label\": 1}\n", ":1:11: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			f.file("bad", c.text)
			check(t, f, fault{c.name, []string{"train", "--quiet", "-o", f.at("new"), bad}, exitInput, bad + c.want})
		})
	}
	t.Run("line longer than 64 MiB", func(t *testing.T) {
		f.file("bad", plain+strings.Repeat("1 ", 33<<20))
		check(t, f, fault{"", []string{"train", "--quiet", "-o", f.at("new"), bad}, exitInput, bad + ":7: line longer than 67108864 bytes"})
	})
	t.Run("NaN weight", func(t *testing.T) {
		f.file("bad", plain)
		for i, w := range []string{"nan", "inf", "-1", "0", "1e400", "0x1", "1_0", ""} {
			weights := f.file("weights", "1\n1\n"+w+" 1\n1\n1\n1\n")
			place := ":3:1: "
			if w == "" { // only the second column is there
				place = ": only 5 weights"
				f.file("weights", "1\n1\n\n1\n1\n1\n")
			}
			check(t, f, fault{fmt.Sprint(i), []string{"train", "--quiet", "-o", f.at("new"), "--row-weights", weights, bad}, exitInput, weights + place})
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
			if o.code != exitFine {
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
			exitInput, data + ": kernel 2 (poly:30) takes values that are not finite"})
	}
	// Three rows with an index of two milliards: stored sparsely they are small, but tables of so many features are not.
	wide := f.file("wide", "1 1:1\n-1 2000000000:1\n1 5:1\n")
	for _, args := range [][]string{nil, {"--store", "sparse", "--kernels", "linear"}, {"--store", "dense"}, {"--kernels", "linear@1-1000000000"}} {
		var o outcome
		used := heaptest.Allocated(func() {
			o = try(append([]string{"train", "--quiet", "--memory", "4GiB", "-o", f.at("new"), wide}, args...)...)
		})
		if o.code != exitBudget || !strings.Contains(o.stderr, "2000000000 features") || used > 64<<20 {
			t.Errorf("%q: exit code %d after %d MiB: %s", args, o.code, used>>20, o.stderr)
		}
	}
	for _, specs := range []string{"gauss:0.001..10/1048576@random:2*1000", "linear@random:2*100000000", "gauss:0.001..10/2000000000@each-feature"} {
		var o outcome
		used := heaptest.Allocated(func() {
			o = try("train", "--quiet", "--memory", "256MiB", "-o", f.at("new"), "--kernels", specs, f.file("data", plain))
		})
		if o.code != exitBudget && o.code != exitUsage || used > 64<<20 {
			t.Errorf("%s: exit code %d after %d MiB: %s", specs, o.code, used>>20, o.stderr)
		}
	}
}

// packed compresses text.
func packed(t testing.TB, kind, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if kind == "zst" {
		var err error
		if w, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHostileStreams: compressed files that end early, go on, or expand beyond reason.
func TestHostileStreams(t *testing.T) {
	f := newFolder(t)
	rows := strings.Repeat(plain, 20)
	blanks := strings.Repeat(strings.Repeat(" ", 1<<20-1)+"\n", 72)
	for _, kind := range []string{"gz", "zst"} {
		good := packed(t, kind, rows)
		flipped := []byte(good)
		flipped[len(good)/2] ^= 0x10
		for name, text := range map[string]string{
			"truncated": good[:len(good)/2], "without its end": good[:len(good)-1], "only a header": good[:6], "trailing garbage": good + "garbage and more of it",
			"a flipped bit": string(flipped), "followed by another start": good + good[:5], "a long line": packed(t, kind, strings.Repeat("1 ", 5<<20)),
			"bomb": packed(t, kind, blanks+plain),
		} {
			bad := f.file("bad."+kind, text)
			used := heaptest.Allocated(func() {
				check(t, f, fault{name, []string{"train", "--quiet", "-o", f.at("new"), bad}, exitInput, bad + ":"})
			})
			if used > 64<<20 {
				t.Errorf("%s %s: %d MiB allocated", name, kind, used>>20)
			}
		}
		must(t, "train", "--quiet", "--trust-compressed", "-o", f.at("m"), f.file("trusted", packed(t, kind, blanks+plain)))
		os.Remove(f.at("m"))
	}
}

// TestHostileFiles: names that lead nowhere, and files that change.
func TestHostileFiles(t *testing.T) {
	f, data, test, path := trained(t)
	loop := f.at("loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	out := f.at("new")
	for _, bad := range []struct{ name, path string }{{"a directory", f.path}, {"a symlink loop", loop}, {"nothing", f.at("absent")}, {"a file as a folder", data + "/x"}} {
		for _, args := range [][]string{
			{"train", "--quiet", "-o", out, bad.path}, {"train", "--quiet", "-o", out, data, "--views", bad.path}, {"train", "--quiet", "-o", out, data, "--row-weights", bad.path},
			{"train", "--quiet", "-o", out, data, "--test", bad.path}, {"train", "--quiet", "-o", out, data, "--init", bad.path},
			{"train", "--quiet", "-o", out, data, "--kernels", "@" + bad.path}, {"train", "--quiet", "-o", out, data, "--kernels", "precomputed:" + bad.path},
			{"predict", bad.path, test, "-o", out}, {"predict", path, bad.path, "-o", out}, {"inspect", bad.path}, {"bound", bad.path}, {"verify", path, bad.path}, {"gram", "-o", out, bad.path}, {"align", "-o", out, bad.path},
		} {
			check(t, f, fault{bad.name, args, exitInput, bad.path + ": "})
		}
	}
	for _, args := range [][]string{{"train", "--quiet", data, "-o", "/dev/full"}, {"predict", path, test, "-o", "/dev/full"}, {"gram", "--quiet", "--kernels", "linear", data, "-o", "/dev/full"}} {
		check(t, f, fault{"a full device", args, exitBudget, "/dev/full: "})
	}
	for _, args := range [][]string{{"inspect", "/dev/zero"}, {"predict", "/dev/zero", test}} {
		check(t, f, fault{"a device as a model", args, exitCorrupt, "/dev/zero: "})
	}
	check(t, f, fault{"a device as data", []string{"train", "--quiet", "-o", out, "/dev/zero"}, exitInput, "/dev/zero:1: line longer"})
	check(t, f, fault{"nothing as data", []string{"train", "--quiet", "-o", out, "/dev/null"}, exitInput, "/dev/null: no rows"})
	t.Run("no permission", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root may read everything")
		}
		secret := f.file("secret", plain)
		if err := os.Chmod(secret, 0); err != nil {
			t.Fatal(err)
		}
		check(t, f, fault{"", []string{"train", "--quiet", "-o", out, secret}, exitInput, secret + ": cannot open: permission denied"})
	})
	for name, stdin := range map[string]io.Reader{
		"closed":              iotest.ErrReader(errors.New("bad file descriptor")),
		"closed early":        io.MultiReader(strings.NewReader(plain), iotest.ErrReader(io.ErrUnexpectedEOF)),
		"empty":               strings.NewReader(""),
		"ends within a value": strings.NewReader(plain + "1 1:"),
	} {
		o := execute(context.Background(), stdin, "train", "--quiet", "-o", out, "-")
		if o.code != exitInput || !strings.HasPrefix(o.stderr, "bigmkl: <stdin>:") || strings.Count(o.stderr, "\n") != 1 || f.exists("new") {
			t.Errorf("standard input %s: exit code %d, %q", name, o.code, o.stderr)
		}
	}
	// The weights are open while the rows come, and are written to: standard input is read ahead, but not by more than two pieces.
	weights := f.file("weights", strings.Repeat("1\n", strings.Count(plain, "\n")))
	stdin := io.MultiReader(iotest.OneByteReader(strings.NewReader(plain)), hook(func() {
		f.file("weights", strings.Repeat("2\n", strings.Count(plain, "\n")))
		later(t, weights)
	}))
	o := execute(context.Background(), stdin, "train", "--quiet", "-o", out, "--row-weights", weights, "-")
	if o.code != exitInput || !strings.HasPrefix(o.stderr, "bigmkl: "+weights+": the file changed while it was read") || f.exists("new") {
		t.Errorf("weights that change: exit code %d, %q", o.code, o.stderr)
	}
}

// later moves the time of a file by a second: clocks of file systems are too coarse for a test.
func later(t testing.TB, path string) {
	t.Helper()
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
}

// hook is an empty reader that does something.
type hook func()

func (h hook) Read([]byte) (int, error) { h(); return 0, io.EOF }

// npyFile is a .npy file of any kind.
func npyFile(version int, dict string, numbers []byte) string {
	b := []byte("\x93NUMPY")
	b = append(b, byte(version), 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	return string(append(append(b, dict...), numbers...))
}

// numbers64 are the elements of an n x n matrix, row by row.
func numbers64(order binary.AppendByteOrder, n int, value func(i, j int) float64) []byte {
	var b []byte
	for i := range n {
		for j := range n {
			b = order.AppendUint64(b, math.Float64bits(value(i, j)))
		}
	}
	return b
}

// TestHostileMatrices: .npy files, and what is in them.
func TestHostileMatrices(t *testing.T) {
	f := newFolder(t)
	data := f.file("data", plain)
	const n = 6
	gram := func(i, j int) float64 {
		if i == j {
			return 2
		}
		return 1 / float64(1+i+j)
	}
	with := func(i, j int, v float64) func(a, b int) float64 {
		return func(a, b int) float64 {
			if a == i && b == j {
				return v
			}
			return gram(a, b)
		}
	}
	le, be := binary.AppendByteOrder(binary.LittleEndian), binary.AppendByteOrder(binary.BigEndian)
	dict := func(descr, fortran, shape string) string {
		return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n"
	}
	good := dict("<f8", "False", "(6, 6)")
	args := []string{"train", "--quiet", "-o", f.at("m"), "--kernels", "precomputed:" + f.at("K"), data}
	// Byte order, order of the elements and version of the format make no difference.
	var want string
	for _, text := range []string{
		npyFile(1, good, numbers64(le, n, gram)), npyFile(2, good, numbers64(le, n, gram)), npyFile(3, good, numbers64(le, n, gram)),
		npyFile(1, dict("<f8", "True", "(6, 6)"), numbers64(le, n, gram)), npyFile(1, dict(">f8", "False", "(6, 6)"), numbers64(be, n, gram)),
		npyFile(2, dict(">f8", "True", "(6, 6)"), numbers64(be, n, gram)), string(numbers64(le, n, gram)),
	} {
		f.file("K", text)
		must(t, args...)
		if want == "" {
			want = f.read("m")
		}
		if f.read("m") != want {
			t.Errorf("another model from %q", text[:min(len(text), 80)])
		}
	}
	os.Remove(f.at("m"))
	eight := make([]byte, 8)
	for name, text := range map[string]string{
		"NaN": npyFile(1, good, numbers64(le, n, with(3, 4, math.NaN()))), "infinite": npyFile(1, good, numbers64(le, n, with(0, 0, math.Inf(1)))),
		"asymmetric": npyFile(1, good, numbers64(le, n, with(1, 2, gram(1, 2)+1e-7))), "far from symmetric": npyFile(1, good, numbers64(le, n, with(1, 2, 5))),
		"of five rows": npyFile(1, dict("<f8", "False", "(5, 5)"), numbers64(le, 5, gram)), "of seven rows": npyFile(1, dict("<f8", "False", "(7, 7)"), numbers64(le, 7, gram)),
		"not square": npyFile(1, dict("<f8", "False", "(3, 12)"), numbers64(le, n, gram)), "a vector": npyFile(1, dict("<f8", "False", "(36,)"), numbers64(le, n, gram)),
		"header of 70 kB": npyFile(2, strings.Repeat(" ", 70_000)+good, numbers64(le, n, gram)), "header beyond the file": npyFile(2, good, nil)[:20],
		"header of 4 GB": "\x93NUMPY\x02\x00\xff\xff\xff\xff{", "objects": npyFile(1, dict("|O", "False", "(6, 6)"), []byte("\x80\x03cos\nsystem\n")),
		"a pickle": "\x80\x03cos\nsystem\nq\x00X\x02\x00\x00\x00idq\x01\x85q\x02Rq\x03.", "structures": npyFile(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (6, 6), }", numbers64(le, n, gram)),
		"integers": npyFile(1, dict("<i8", "False", "(6, 6)"), numbers64(le, n, gram)), "shape beyond the file": npyFile(1, dict("<f8", "False", "(6, 7)"), numbers64(le, n, gram)),
		"shape of more than memory": npyFile(1, dict("<f8", "False", "(2147483647, 6)"), eight), "product that overflows": npyFile(1, dict("<f8", "False", "(4294967296, 4294967296)"), eight),
		"product that wraps to 8": npyFile(1, dict("<f8", "False", "(2147483647, 2147483647)"), eight), "negative shape": npyFile(1, dict("<f8", "False", "(-6, -6)"), numbers64(le, n, gram)),
		"version 4": npyFile(4, good, numbers64(le, n, gram)), "cut short": npyFile(1, good, numbers64(le, n, gram))[:200], "empty": "",
		"no rows": npyFile(1, dict("<f8", "False", "(0, 6)"), nil), "bytes behind": npyFile(1, good, append(numbers64(le, n, gram), 0)),
	} {
		bad := f.file("K", text)
		used := heaptest.Allocated(func() { check(t, f, fault{name, args, exitInput, bad + ": "}) })
		if used > 64<<20 {
			t.Errorf("%s: %d MiB allocated", name, used>>20)
		}
	}
	f.file("K", npyFile(1, good, numbers64(le, n, func(i, j int) float64 { return -gram(i, j) })))
	if o := try(append(args, "--normalize", "none")...); o.code != exitFine || !strings.Contains(o.stderr, "is indefinite here: weight 0") {
		t.Errorf("a matrix that is not positive: exit code %d, %s", o.code, o.stderr)
	}
}

// TestHostileModelFiles: files that are damaged as a whole; hostile_model_test.go has those with a right checksum.
func TestHostileModelFiles(t *testing.T) {
	f, data, test, path := trained(t)
	good := f.read("m")
	flipped := []byte(good)
	flipped[len(good)-9] ^= 4
	length := func(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }
	for name, text := range map[string]string{
		"newer version": strings.Replace(good, `"version":"1"`, `"version":"2"`, 1), "wrong checksum": string(flipped), "another digest": strings.Replace(good, `"sha256":"`, `"sha256":"0`, 1),
		"bytes behind": good + "\x00", "twice": good + good, "cut at 200": good[:200], "cut at 3000": good[:3000], "without its last byte": good[:len(good)-1], "empty": "",
		"data": f.read("train.txt"), "a huge header": length(math.MaxUint64) + good[8:], "a header of the whole file": length(uint64(len(good)-8)) + good[8:], "no header": length(0) + good[8:],
		"unknown kernel": strings.Replace(good, "linear", "linaer", 1), "gzip": packed(t, "gz", good),
	} {
		bad := f.file("bad", text)
		for _, args := range [][]string{{"inspect", bad}, {"predict", bad, test, "-o", f.at("out")}, {"verify", bad, data}} {
			used := heaptest.Allocated(func() { check(t, f, fault{name, args, exitCorrupt, bad + ": "}) })
			if used > 64<<20 {
				t.Errorf("%s: %d MiB allocated", name, used>>20)
			}
		}
	}
	check(t, f, fault{"features beyond the model's", []string{"predict", path, f.file("wide", "1 1:1\n1 31:1\n"), "-o", f.at("out")}, exitInput, f.at("wide") + ":2: "})
	check(t, f, fault{"bad row", []string{"predict", path, f.file("row", "1 1:1\n1 2:0x1\n"), "-o", f.at("out")}, exitInput, f.at("row") + ":2:3: "})
	must(t, "train", "--quiet", "--kernels", "poly:9", "-o", f.at("poly"), data)
	check(t, f, fault{"features beyond all bounds", []string{"predict", f.at("poly"), f.file("huge", "1 1:1\n1 1:3e38\n"), "-o", f.at("out")}, exitInput, f.at("huge") + ": the decision value of row 2 is "})
	// Edited to a kernel that looks at no features.
	m := takeApart(t, good)
	m.settings["kernels"] = []string{"precomputed:1", "precomputed:2"}
	check(t, f, fault{"another kind of kernel", []string{"predict", f.file("bad", m.build()), test, "-o", f.at("out")}, exitUsage, "the model has 2 precomputed kernels"})
}
