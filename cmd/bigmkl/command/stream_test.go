package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestStream: a model after every batch, each of the rows so far or of those in the window.
func TestStream(t *testing.T) {
	f := newFolder(t)
	rows := strings.SplitAfter(text(250, 1), "\n")
	all := f.file("all.txt", strings.Join(rows, ""))
	options := []string{"train", "--quiet", "--stream", "--every", "60", "--kernels", "gauss:auto/3", "--scale", "standard", "-o", f.at("m")}
	o := execute(t.Context(), strings.NewReader(strings.Join(rows, "")), append(options, "-")...)
	if o.code != contract.ExitFine || strings.Count(o.stdout, "\n") != 5 || !strings.Contains(o.stdout, "/m: 250 rows, converged after ") {
		t.Fatalf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	must(t, "verify", "--quiet", f.at("m"), all)
	if shown := must(t, "inspect", f.at("m")).stdout; !strings.Contains(shown, "the last 250 of 250 rows; widths and normalisation are those of 60 rows") {
		t.Error(shown)
	}
	// A file is a stream as well, and --limit its end. The window forgets.
	last := f.file("last.txt", strings.Join(rows[100:200], ""))
	o = must(t, append(options, "--window", "100", "--limit", "200", "--test", all, "--theta-out", f.at("theta.npy"), all)...)
	if !strings.Contains(o.stdout, "/m: the last 100 of 200 rows, converged") || !strings.Contains(o.stdout, "accuracy") || !f.exists("theta.npy") {
		t.Error(o.stdout)
	}
	must(t, "verify", "--quiet", f.at("m"), last)
	// Every line is an object of its own.
	o = must(t, append(options, "--json", all)...)
	for line := range strings.Lines(o.stdout) {
		checkContract(t, decode(t, line))
	}
	if n := strings.Count(o.stdout, "\n"); n != 5 {
		t.Errorf("%d objects", n)
	}
}

// TestStreamResumed: a stream in two parts ends with the model of a stream in one, byte for byte.
func TestStreamResumed(t *testing.T) {
	f := newFolder(t)
	rows := strings.SplitAfter(text(240, 1), "\n")
	options := []string{"train", "--quiet", "--stream", "--every", "60", "--window", "150", "--kernels", "gauss:auto/3", "--checkpoint", f.at("state"), "-o", f.at("m")}
	first, second := f.file("first", strings.Join(rows[:120], "")), f.file("second", strings.Join(rows[120:], ""))
	must(t, "train", "--quiet", "--stream", "--every", "60", "--window", "150", "--kernels", "gauss:auto/3", "-o", f.at("whole"), first, second)
	must(t, append(options, first)...)
	if o := try(append(options, second)...); o.code != contract.ExitUsage || !strings.Contains(o.stderr, "--resume goes on with it") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
	must(t, append(options, "--resume", second)...)
	if f.read("m") != f.read("whole") {
		t.Error("another model")
	}
	if o := try(append(options, "--resume", "-C", "2", second)...); o.code != contract.ExitCorrupt || !strings.Contains(o.stderr, "the trainer was saved with other options: C is \"1\" there and \"2\" here") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
}

// TestStreamFaults: a faulty row ends the command with one message, and the model of the rows before
// stays.
func TestStreamFaults(t *testing.T) {
	f := newFolder(t)
	rows := strings.SplitAfter(text(150, 1), "\n")
	good := strings.Join(rows[:60], "")
	options := []string{"train", "--quiet", "--stream", "--every", "60", "--kernels", "gauss:1", "-o", f.at("m")}
	for bad, want := range map[string]string{
		"1 1:nan\n": ":61:3: value \"nan\" of feature 1", "7 1:1\n": "61: class \"7\", but the rows before have only",
		"1 999:1\n": "61: feature 999, but the rows before have only",
	} {
		os.Remove(f.at("m"))
		o := try(append(options, f.file("bad", good+bad+strings.Join(rows[60:], "")))...)
		if o.code != contract.ExitInput || !strings.Contains(o.stderr, want) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d: %s", bad, o.code, o.stderr)
		}
		must(t, "verify", "--quiet", f.at("m"), f.file("good", good))
	}
	for _, c := range []struct{ args, want string }{
		{"--stream --multiclass ovr", "--stream trains one machine"}, {"--stream --every 0", "a batch of no rows"},
		{"--every 5", "--every has no effect without --stream"}, {"--window 5", "--window has no effect without --stream"},
		{"--stream --probability", "have no probabilities"}, {"--stream --solver wrapper", "by the chunking solver alone"},
		{"--stream --row-weights w", "a stream has no end"}, {"--stream --init m", "begins with its first batch"},
	} {
		o := try(append([]string{"train", "-o", f.at("m"), f.at("good")}, strings.Fields(c.args)...)...)
		if o.code != contract.ExitUsage || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: exit code %d: %s", c.args, o.code, o.stderr)
		}
	}
	if o := try("train", "--stream", "--quiet", "-o", f.at("m"), f.file("empty", "")); o.code != contract.ExitInput || !strings.Contains(o.stderr, "no rows") {
		t.Errorf("no rows: exit code %d: %s", o.code, o.stderr)
	}
}

// TestStreamInterrupted: an interrupt between two batches leaves the model of the last one, and the
// state to go on from.
func TestStreamInterrupted(t *testing.T) {
	f := newFolder(t)
	rows := strings.SplitAfter(text(100, 1), "\n")
	c := exec.Command(os.Args[0], "train", "--stream", "--quiet", "--every", "60", "--kernels", "gauss:1", "--checkpoint", f.at("state"), "-o", f.at("m"), "-")
	c.Env = append(os.Environ(), "BIGMKL_TEST_AS_PROGRAM=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errors strings.Builder
	c.Stderr = &errors
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	if _, err := io.WriteString(in, strings.Join(rows, "")); err != nil {
		t.Fatal(err)
	}
	// The line about the first model shows that the next batch is waited for.
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("no model")
	}
	if err := c.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	c.Wait()
	if c.ProcessState.ExitCode() != contract.ExitInterrupted || !strings.Contains(errors.String(), "interrupted after 1 model, the last of 60 rows, which is written") {
		t.Errorf("exit code %d: %s", c.ProcessState.ExitCode(), errors.String())
	}
	must(t, "verify", "--quiet", f.at("m"), f.file("rows", strings.Join(rows[:60], "")))
	must(t, "train", "--stream", "--quiet", "--kernels", "gauss:1", "--checkpoint", f.at("state"), "--resume", "-o", f.at("m"), f.file("rest", strings.Join(rows[60:], "")))
	must(t, "verify", "--quiet", f.at("m"), f.file("rows", strings.Join(rows, "")))
}

// TestContinue: the support vectors of a model stand for its rows, whatever scaled and stored them.
func TestContinue(t *testing.T) {
	f := newFolder(t)
	old, more := f.file("old", text(150, 1)), f.file("more", text(90, 2))
	for _, options := range []string{"", "--scale standard -C 10", "--scale minmax --store sparse --norm 1", "--positive 1 --scale global"} {
		args := append([]string{"train", "--quiet", "--kernels", "gauss:auto/3,linear", "-o", f.at("a"), old}, strings.Fields(options)...)
		must(t, args...)
		must(t, "train", "--quiet", "--continue", f.at("a"), "-o", f.at("b"), more)
		must(t, "verify", "--quiet", f.at("b"), f.at("a"), more)
		j := object(t, contract.ExitFine, "inspect", "--json", f.at("b"))
		vectors := object(t, contract.ExitFine, "inspect", "--json", f.at("a"))["support_vectors"].(float64)
		s, _ := j["stream"].(map[string]any)
		if s["seen"] != 240.0 || s["prepared"] != 150.0 || s["vectors"] != vectors || j["n"] != vectors+90 {
			t.Errorf("%s: %v of %v", options, s, j["n"])
		}
		// It can be continued itself, and on a stream.
		must(t, "train", "--quiet", "--continue", f.at("b"), "--stream", "--every", "50", "-o", f.at("c"), more)
		must(t, "verify", "--quiet", f.at("c"), f.at("b"), more)
	}
	if o := try("verify", "--quiet", f.at("b"), more); o.code != contract.ExitCorrupt || !strings.Contains(o.stderr, "the model that train --continue named comes before the data") {
		t.Errorf("without the model before: exit code %d: %s", o.code, o.stderr)
	}
	if o := try("train", "--quiet", "--continue", f.at("a"), "--kernels", "linear", "-o", f.at("b"), more); o.code != contract.ExitUsage || !strings.Contains(o.stderr, "a model of other kernels") {
		t.Errorf("with other kernels: exit code %d: %s", o.code, o.stderr)
	}
	must(t, "train", "--quiet", "--task", "svr", "-o", f.at("r"), old)
	if o := try("train", "--quiet", "--continue", f.at("r"), "-o", f.at("b"), more); o.code != contract.ExitUsage || !strings.Contains(o.stderr, "--init starts from the model") {
		t.Errorf("a regression: exit code %d: %s", o.code, o.stderr)
	}
}
