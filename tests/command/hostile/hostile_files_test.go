package hostile

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/klauspost/compress/zstd"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/heaptest"
	"bigmkl/internal/testlevel"
	"bigmkl/tests/commandtest"
)

// TestHostileStreams: compressed files that end early, go on, or expand beyond reason.
func TestHostileStreams(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := strings.Repeat(commandtest.Plain, 20)
	blanks := slices.Repeat([]string{strings.Repeat(" ", 1<<20-1) + "\n"}, 72)
	for _, kind := range []string{"gz", "zst"} {
		good, bomb := packed(t, kind, rows), packed(t, kind, append(blanks, commandtest.Plain)...)
		flipped := []byte(good)
		flipped[len(good)/2] ^= 0x10
		for name, text := range map[string]string{
			"truncated": good[:len(good)/2], "without its end": good[:len(good)-1], "only a header": good[:6], "trailing garbage": good + "garbage and more of it",
			"a flipped bit": string(flipped), "followed by another start": good + good[:5], "a long line": packed(t, kind, strings.Repeat("1 ", 5<<20)),
			"bomb": bomb,
		} {
			bad := f.File("bad."+kind, text)
			used := heaptest.Allocated(func() {
				commandtest.Check(t, f, commandtest.Fault{Name: name, Args: []string{"train", "--quiet", "-o", f.At("new"), bad}, Code: contract.ExitInput, Want: bad + ":"})
			})
			if used > 64<<20 {
				t.Errorf("%s %s: %d MiB allocated", name, kind, used>>20)
			}
		}
		commandtest.Must(t, "train", "--quiet", "--trust-compressed", "-o", f.At("m"), f.File("trusted", bomb))
		os.Remove(f.At("m"))
	}
}

// TestHostileFiles: names that lead nowhere, and files that change.
func TestHostileFiles(t *testing.T) {
	f, data, test, path := commandtest.Trained(t)
	loop := f.At("loop")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	out := f.At("new")
	for _, bad := range []struct{ name, path string }{{"a directory", f.Path}, {"a symlink loop", loop}, {"nothing", f.At("absent")}, {"a file as a folder", data + "/x"}} {
		for _, args := range testlevel.Some(t, bad.name, 7, [][]string{
			{"train", "--quiet", "-o", out, bad.path}, {"train", "--quiet", "-o", out, data, "--views", bad.path}, {"train", "--quiet", "-o", out, data, "--row-weights", bad.path}, {"train", "--quiet", "-o", out, data, "--posteriors", bad.path},
			{"train", "--quiet", "-o", out, data, "--test", bad.path}, {"train", "--quiet", "-o", out, data, "--init", bad.path},
			{"train", "--quiet", "-o", out, data, "--kernels", "@" + bad.path}, {"train", "--quiet", "-o", out, data, "--kernels", "precomputed:" + bad.path},
			{"predict", bad.path, test, "-o", out}, {"predict", path, bad.path, "-o", out}, {"inspect", bad.path}, {"bound", bad.path}, {"verify", path, bad.path}, {"gram", "-o", out, bad.path}, {"align", "-o", out, bad.path},
			{"select", "--quiet", "-o", out, bad.path}, {"select", "--quiet", "-o", out, "--folds-file", bad.path, data}, {"select", "--quiet", "-o", out, "--groups-file", bad.path, data},
			{"importance", "--quiet", "-o", out, bad.path}, {"importance", "--quiet", "-o", out, "--views", bad.path, data}, {"importance", "--quiet", "-o", out, "--groups-file", bad.path, data},
			{"select", "--quiet", "-o", out, "--kernels", "linear", "--kernels", "@" + bad.path, data}, {"select", "--quiet", "-o", out, "--kernels", "precomputed:" + bad.path, data},
		}) {
			commandtest.Check(t, f, commandtest.Fault{Name: bad.name, Args: args, Code: contract.ExitInput, Want: bad.path + ": "})
		}
	}
	for _, args := range [][]string{{"train", "--quiet", data, "-o", "/dev/full"}, {"predict", path, test, "-o", "/dev/full"}, {"gram", "--quiet", "--kernels", "linear", data, "-o", "/dev/full"}} {
		commandtest.Check(t, f, commandtest.Fault{Name: "a full device", Args: args, Code: contract.ExitBudget, Want: "/dev/full: "})
	}
	for _, args := range [][]string{{"inspect", "/dev/zero"}, {"predict", "/dev/zero", test}} {
		commandtest.Check(t, f, commandtest.Fault{Name: "a device as a model", Args: args, Code: contract.ExitCorrupt, Want: "/dev/zero: "})
	}
	commandtest.Check(t, f, commandtest.Fault{Name: "a device as data", Args: []string{"train", "--quiet", "-o", out, "/dev/zero"}, Code: contract.ExitInput, Want: "/dev/zero:1: line longer"})
	commandtest.Check(t, f, commandtest.Fault{Name: "nothing as data", Args: []string{"train", "--quiet", "-o", out, "/dev/null"}, Code: contract.ExitInput, Want: "/dev/null: no rows"})
	t.Run("no permission", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("root may read everything")
		}
		secret := f.File("secret", commandtest.Plain)
		if err := os.Chmod(secret, 0); err != nil {
			t.Fatal(err)
		}
		commandtest.Check(t, f, commandtest.Fault{Name: "", Args: []string{"train", "--quiet", "-o", out, secret}, Code: contract.ExitInput, Want: secret + ": cannot open: permission denied"})
	})
	for name, stdin := range map[string]io.Reader{
		"closed":              iotest.ErrReader(errors.New("bad file descriptor")),
		"closed early":        io.MultiReader(strings.NewReader(commandtest.Plain), iotest.ErrReader(io.ErrUnexpectedEOF)),
		"empty":               strings.NewReader(""),
		"ends within a value": strings.NewReader(commandtest.Plain + "1 1:"),
	} {
		o := commandtest.Execute(context.Background(), stdin, "train", "--quiet", "-o", out, "-")
		if o.Code != contract.ExitInput || !strings.HasPrefix(o.Stderr, "bigmkl: <stdin>:") || strings.Count(o.Stderr, "\n") != 1 || f.Exists("new") {
			t.Errorf("standard input %s: exit code %d, %q", name, o.Code, o.Stderr)
		}
	}
	// The weights are open while the rows come, and are written to: standard input is read ahead, but not by more than two pieces.
	weights := f.File("weights", strings.Repeat("1\n", strings.Count(commandtest.Plain, "\n")))
	stdin := io.MultiReader(iotest.OneByteReader(strings.NewReader(commandtest.Plain)), hook(func() {
		f.File("weights", strings.Repeat("2\n", strings.Count(commandtest.Plain, "\n")))
		later(t, weights)
	}))
	o := commandtest.Execute(context.Background(), stdin, "train", "--quiet", "-o", out, "--row-weights", weights, "-")
	if o.Code != contract.ExitInput || !strings.HasPrefix(o.Stderr, "bigmkl: "+weights+": the file changed while it was read") || f.Exists("new") {
		t.Errorf("weights that change: exit code %d, %q", o.Code, o.Stderr)
	}
}

// TestHostileModelFiles: files that are damaged as a whole; hostile_model_test.go has those with a right checksum.
func TestHostileModelFiles(t *testing.T) {
	f, data, test, path := commandtest.Trained(t)
	good := f.Read("m")
	flipped := []byte(good)
	flipped[len(good)-9] ^= 4
	length := func(n uint64) string { return string(binary.LittleEndian.AppendUint64(nil, n)) }
	for name, text := range map[string]string{
		"newer version": strings.Replace(good, `"version":"1"`, `"version":"2"`, 1), "wrong checksum": string(flipped), "another digest": strings.Replace(good, `"sha256":"`, `"sha256":"0`, 1),
		"bytes behind": good + "\x00", "twice": good + good, "cut at 200": good[:200], "cut at 3000": good[:3000], "without its last byte": good[:len(good)-1], "empty": "",
		"data": f.Read("train.txt"), "a huge header": length(math.MaxUint64) + good[8:], "a header of the whole file": length(uint64(len(good)-8)) + good[8:], "no header": length(0) + good[8:],
		"unknown kernel": strings.Replace(good, "linear", "linaer", 1), "gzip": packed(t, "gz", good),
	} {
		bad := f.File("bad", text)
		for _, args := range testlevel.Some(t, name, 1, [][]string{{"inspect", bad}, {"predict", bad, test, "-o", f.At("out")}, {"verify", bad, data}}) {
			used := heaptest.Allocated(func() {
				commandtest.Check(t, f, commandtest.Fault{Name: name, Args: args, Code: contract.ExitCorrupt, Want: bad + ": "})
			})
			if used > 64<<20 {
				t.Errorf("%s: %d MiB allocated", name, used>>20)
			}
		}
	}
	commandtest.Check(t, f, commandtest.Fault{Name: "features beyond the model's", Args: []string{"predict", path, f.File("wide", "1 1:1\n1 31:1\n"), "-o", f.At("out")}, Code: contract.ExitInput, Want: f.At("wide") + ":2: "})
	commandtest.Check(t, f, commandtest.Fault{Name: "bad row", Args: []string{"predict", path, f.File("row", "1 1:1\n1 2:0x1\n"), "-o", f.At("out")}, Code: contract.ExitInput, Want: f.At("row") + ":2:3: "})
	commandtest.Must(t, "train", "--quiet", "--kernels", "poly:9", "-o", f.At("poly"), data)
	commandtest.Check(t, f, commandtest.Fault{Name: "features beyond all bounds", Args: []string{"predict", f.At("poly"), f.File("huge", "1 1:1\n1 1:3e38\n"), "-o", f.At("out")}, Code: contract.ExitInput, Want: f.At("huge") + ": the decision value of row 2 is "})
	// Edited to a kernel that looks at no features.
	m := commandtest.TakeApart(t, good)
	m.Settings["kernels"] = []string{"precomputed:1", "precomputed:2"}
	commandtest.Check(t, f, commandtest.Fault{Name: "another kind of kernel", Args: []string{"predict", f.File("bad", m.Build()), test, "-o", f.At("out")}, Code: contract.ExitUsage, Want: "the model has 2 precomputed kernels"})
}

// packed compresses the parts of a text.
func packed(t testing.TB, kind string, parts ...string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if kind == "zst" {
		var err error
		if w, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1)); err != nil {
			t.Fatal(err)
		}
	}
	// A writer that takes no strings would be given a copy of the whole text.
	piece := make([]byte, 1<<16)
	for _, text := range parts {
		for len(text) > 0 {
			n := copy(piece, text)
			if _, err := w.Write(piece[:n]); err != nil {
				t.Fatal(err)
			}
			text = text[n:]
		}
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
