package command

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/zstd"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/heaptest"
)

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
				check(t, f, fault{name, []string{"train", "--quiet", "-o", f.at("new"), bad}, contract.ExitInput, bad + ":"})
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
			{"train", "--quiet", "-o", out, bad.path}, {"train", "--quiet", "-o", out, data, "--views", bad.path}, {"train", "--quiet", "-o", out, data, "--row-weights", bad.path}, {"train", "--quiet", "-o", out, data, "--posteriors", bad.path},
			{"train", "--quiet", "-o", out, data, "--test", bad.path}, {"train", "--quiet", "-o", out, data, "--init", bad.path},
			{"train", "--quiet", "-o", out, data, "--kernels", "@" + bad.path}, {"train", "--quiet", "-o", out, data, "--kernels", "precomputed:" + bad.path},
			{"predict", bad.path, test, "-o", out}, {"predict", path, bad.path, "-o", out}, {"inspect", bad.path}, {"bound", bad.path}, {"verify", path, bad.path}, {"gram", "-o", out, bad.path}, {"align", "-o", out, bad.path},
			{"select", "--quiet", "-o", out, bad.path}, {"select", "--quiet", "-o", out, "--folds-file", bad.path, data}, {"select", "--quiet", "-o", out, "--groups-file", bad.path, data},
			{"select", "--quiet", "-o", out, "--kernels", "linear", "--kernels", "@" + bad.path, data}, {"select", "--quiet", "-o", out, "--kernels", "precomputed:" + bad.path, data},
		} {
			check(t, f, fault{bad.name, args, contract.ExitInput, bad.path + ": "})
		}
	}
	for _, args := range [][]string{{"train", "--quiet", data, "-o", "/dev/full"}, {"predict", path, test, "-o", "/dev/full"}, {"gram", "--quiet", "--kernels", "linear", data, "-o", "/dev/full"}} {
		check(t, f, fault{"a full device", args, contract.ExitBudget, "/dev/full: "})
	}
	for _, args := range [][]string{{"inspect", "/dev/zero"}, {"predict", "/dev/zero", test}} {
		check(t, f, fault{"a device as a model", args, contract.ExitCorrupt, "/dev/zero: "})
	}
	check(t, f, fault{"a device as data", []string{"train", "--quiet", "-o", out, "/dev/zero"}, contract.ExitInput, "/dev/zero:1: line longer"})
	check(t, f, fault{"nothing as data", []string{"train", "--quiet", "-o", out, "/dev/null"}, contract.ExitInput, "/dev/null: no rows"})
	t.Run("no permission", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root may read everything")
		}
		secret := f.file("secret", plain)
		if err := os.Chmod(secret, 0); err != nil {
			t.Fatal(err)
		}
		check(t, f, fault{"", []string{"train", "--quiet", "-o", out, secret}, contract.ExitInput, secret + ": cannot open: permission denied"})
	})
	for name, stdin := range map[string]io.Reader{
		"closed":              iotest.ErrReader(errors.New("bad file descriptor")),
		"closed early":        io.MultiReader(strings.NewReader(plain), iotest.ErrReader(io.ErrUnexpectedEOF)),
		"empty":               strings.NewReader(""),
		"ends within a value": strings.NewReader(plain + "1 1:"),
	} {
		o := execute(context.Background(), stdin, "train", "--quiet", "-o", out, "-")
		if o.code != contract.ExitInput || !strings.HasPrefix(o.stderr, "bigmkl: <stdin>:") || strings.Count(o.stderr, "\n") != 1 || f.exists("new") {
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
	if o.code != contract.ExitInput || !strings.HasPrefix(o.stderr, "bigmkl: "+weights+": the file changed while it was read") || f.exists("new") {
		t.Errorf("weights that change: exit code %d, %q", o.code, o.stderr)
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
			used := heaptest.Allocated(func() { check(t, f, fault{name, args, contract.ExitCorrupt, bad + ": "}) })
			if used > 64<<20 {
				t.Errorf("%s: %d MiB allocated", name, used>>20)
			}
		}
	}
	check(t, f, fault{"features beyond the model's", []string{"predict", path, f.file("wide", "1 1:1\n1 31:1\n"), "-o", f.at("out")}, contract.ExitInput, f.at("wide") + ":2: "})
	check(t, f, fault{"bad row", []string{"predict", path, f.file("row", "1 1:1\n1 2:0x1\n"), "-o", f.at("out")}, contract.ExitInput, f.at("row") + ":2:3: "})
	must(t, "train", "--quiet", "--kernels", "poly:9", "-o", f.at("poly"), data)
	check(t, f, fault{"features beyond all bounds", []string{"predict", f.at("poly"), f.file("huge", "1 1:1\n1 1:3e38\n"), "-o", f.at("out")}, contract.ExitInput, f.at("huge") + ": the decision value of row 2 is "})
	// Edited to a kernel that looks at no features.
	m := takeApart(t, good)
	m.settings["kernels"] = []string{"precomputed:1", "precomputed:2"}
	check(t, f, fault{"another kind of kernel", []string{"predict", f.file("bad", m.build()), test, "-o", f.at("out")}, contract.ExitUsage, "the model has 2 precomputed kernels"})
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
