package exchange

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestStream: a model after every batch, each of the rows so far or of those in the window.
func TestStream(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := strings.SplitAfter(commandtest.Text(250, 1), "\n")
	all := f.File("all.txt", strings.Join(rows, ""))
	options := []string{"train", "--quiet", "--stream", "--every", "60", "--kernels", "gauss:auto/3", "--scale", "standard", "-o", f.At("m")}
	o := commandtest.Execute(t.Context(), strings.NewReader(strings.Join(rows, "")), append(options, "-")...)
	if o.Code != contract.ExitFine || strings.Count(o.Stdout, "\n") != 5 || !strings.Contains(o.Stdout, "/m: 250 rows, converged after ") {
		t.Fatalf("exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
	}
	commandtest.Must(t, "verify", "--quiet", f.At("m"), all)
	if shown := commandtest.Must(t, "inspect", f.At("m")).Stdout; !strings.Contains(shown, "the last 250 of 250 rows; widths and normalisation are those of 60 rows") {
		t.Error(shown)
	}
	// A file is a stream as well, and --limit its end. The window forgets.
	last := f.File("last.txt", strings.Join(rows[100:200], ""))
	o = commandtest.Must(t, append(options, "--window", "100", "--limit", "200", "--test", all, "--theta-out", f.At("theta.npy"), all)...)
	if !strings.Contains(o.Stdout, "/m: the last 100 of 200 rows, converged") || !strings.Contains(o.Stdout, "accuracy") || !f.Exists("theta.npy") {
		t.Error(o.Stdout)
	}
	commandtest.Must(t, "verify", "--quiet", f.At("m"), last)
	// Every line is an object of its own.
	o = commandtest.Must(t, append(options, "--json", all)...)
	for line := range strings.Lines(o.Stdout) {
		commandtest.CheckContract(t, commandtest.Decode(t, line))
	}
	if n := strings.Count(o.Stdout, "\n"); n != 5 {
		t.Errorf("%d objects", n)
	}
}

// TestStreamDrift: --drift and predict have the same figures of the model before on the rows of the batch.
func TestStreamDrift(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := strings.SplitAfter(commandtest.Text(180, 1), "\n")
	all, first, second := f.File("all", strings.Join(rows, "")), f.File("first", strings.Join(rows[:100], "")), f.File("second", strings.Join(rows[100:], ""))
	options := []string{"train", "--quiet", "--kernels", "gauss:auto/3"}
	commandtest.Must(t, append(options, "-o", f.At("before"), first)...)
	want := commandtest.Decode(t, commandtest.Must(t, "predict", "--json", "-o", f.At("p"), f.At("before"), second).Stdout)
	o := commandtest.Must(t, append(options, "--stream", "--every", "100", "--drift", "--json", "-o", f.At("m"), all)...)
	var last map[string]any
	for line := range strings.Lines(o.Stdout) {
		object := commandtest.Decode(t, line)
		commandtest.CheckContract(t, object)
		now := object["drift"].(map[string]any)
		if _, ahead := now["ahead"]; ahead != (last != nil) {
			t.Errorf("the model of %v rows: %v", object["n"], now)
		}
		last = now
	}
	ahead := last["ahead"].(map[string]any)
	for _, key := range []string{"n", "accuracy", "auc"} {
		if ahead[key] == nil || ahead[key] != want[key] {
			t.Errorf("%s %v, of predict %v", key, ahead[key], want[key])
		}
	}
	if moved := last["moved"].(float64); !(moved > 0 && moved < 1) || len(last["shares"].([]any)) != 3 {
		t.Errorf("%v", last)
	}
	// A faulty row in the batch ends the listener, too.
	o = commandtest.Try(append(options, "--stream", "--every", "100", "--drift", "-o", f.At("m"), f.File("bad", strings.Join(rows[:150], "")+"1 1:nan\n"))...)
	if o.Code != contract.ExitInput || !strings.Contains(o.Stdout, "100 rows") {
		t.Errorf("exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
	}
	o = commandtest.Must(t, append(options, "--stream", "--every", "100", "--drift", "-o", f.At("m"), all)...)
	if !strings.Contains(o.Stdout, "; the previous model on the new rows: 80 rows, accuracy") || !strings.Contains(o.Stdout, "; shares moved by 0.") {
		t.Error(o.Stdout)
	}
}

// TestStreamOfClasses: the digits of a stream have a classifier each, whose state is saved with the others.
func TestStreamOfClasses(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := strings.SplitAfter(commandtest.Text(240, 1), "\n")
	for i := range rows[:240] {
		_, features, _ := strings.Cut(rows[i], " ")
		rows[i] = string("abcd"[i%3+i/200]) + " " + features // d comes late
	}
	first, second := f.File("first", strings.Join(rows[:120], "")), f.File("second", strings.Join(rows[120:], ""))
	last := f.File("last", strings.Join(rows[90:], ""))
	for _, kind := range []string{"--multiclass=ovr", "--multiclass=labels"} {
		options := []string{"train", "--quiet", "--stream", "--every", "60", "--window", "150", "--kernels", "gauss:auto/3", kind, "--drift", "--refresh", "100"}
		commandtest.Must(t, append(options, "-o", f.At("whole"), first, second)...)
		saved := append(options, "--checkpoint", f.At("state"+kind), "-o", f.At("m"))
		commandtest.Must(t, append(saved, first)...)
		commandtest.Must(t, append(saved, "--resume", second)...)
		if f.Read("m") != f.Read("whole") {
			t.Errorf("%s: another model", kind)
		}
		commandtest.Must(t, "verify", "--quiet", f.At("m"), last)
		if shown := commandtest.Must(t, "inspect", f.At("m")).Stdout; !strings.Contains(shown, "the last 150 of 240 rows") {
			t.Error(shown)
		}
	}
}

// TestStreamResumed: a stream in two parts ends with the model of a stream in one, byte for byte.
func TestStreamResumed(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := strings.SplitAfter(commandtest.Text(240, 1), "\n")
	options := []string{"train", "--quiet", "--stream", "--every", "60", "--window", "150", "--kernels", "gauss:auto/3", "--checkpoint", f.At("state"), "-o", f.At("m")}
	first, second := f.File("first", strings.Join(rows[:120], "")), f.File("second", strings.Join(rows[120:], ""))
	commandtest.Must(t, "train", "--quiet", "--stream", "--every", "60", "--window", "150", "--kernels", "gauss:auto/3", "-o", f.At("whole"), first, second)
	commandtest.Must(t, append(options, first)...)
	if o := commandtest.Try(append(options, second)...); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "--resume goes on with it") {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
	commandtest.Must(t, append(options, "--resume", second)...)
	if f.Read("m") != f.Read("whole") {
		t.Error("another model")
	}
	if o := commandtest.Try(append(options, "--resume", "-C", "2", second)...); o.Code != contract.ExitCorrupt || !strings.Contains(o.Stderr, "the trainer was saved with other options: C is \"1\" there and \"2\" here") {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
}

// TestStreamFaults: a faulty row ends the command with one message, and the model of the rows before
// stays.
func TestStreamFaults(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := strings.SplitAfter(commandtest.Text(150, 1), "\n")
	good := strings.Join(rows[:60], "")
	options := []string{"train", "--quiet", "--stream", "--every", "60", "--kernels", "gauss:1", "-o", f.At("m")}
	for bad, want := range map[string]string{
		"1 1:nan\n": ":61:3: the value of feature 1 is missing", "7 1:1\n": "61: class \"7\", but the rows before have only",
		"1 999:1\n": "61: feature 999, but the rows before have only",
	} {
		os.Remove(f.At("m"))
		o := commandtest.Try(append(options, f.File("bad", good+bad+strings.Join(rows[60:], "")))...)
		if o.Code != contract.ExitInput || !strings.Contains(o.Stderr, want) || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d: %s", bad, o.Code, o.Stderr)
		}
		commandtest.Must(t, "verify", "--quiet", f.At("m"), f.File("good", good))
	}
	for _, c := range []struct{ args, want string }{
		{"--stream --multiclass ovo", "no stream trains pairs of classes"}, {"--stream --multiclass ovr --one-theta", "no stream trains one set of weights"}, {"--stream --every 0", "a batch of no rows"},
		{"--every 5", "--every has no effect without --stream"}, {"--window 5", "--window has no effect without --stream"},
		{"--stream --probability", "have no probabilities"}, {"--stream --solver wrapper", "by the chunking solver alone"},
		{"--stream --row-weights w", "a stream has no end"}, {"--stream --init m", "begins with its first batch"},
	} {
		o := commandtest.Try(append([]string{"train", "-o", f.At("m"), f.At("good")}, strings.Fields(c.args)...)...)
		if o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, c.want) {
			t.Errorf("%s: exit code %d: %s", c.args, o.Code, o.Stderr)
		}
	}
	if o := commandtest.Try("train", "--stream", "--quiet", "-o", f.At("m"), f.File("empty", "")); o.Code != contract.ExitInput || !strings.Contains(o.Stderr, "no rows") {
		t.Errorf("no rows: exit code %d: %s", o.Code, o.Stderr)
	}
}

// TestStreamInterrupted: an interrupt between two batches leaves the model of the last one, and the
// state from which the stream resumes.
func TestStreamInterrupted(t *testing.T) {
	f := commandtest.NewFolder(t)
	rows := strings.SplitAfter(commandtest.Text(100, 1), "\n")
	c := exec.Command(os.Args[0], "train", "--stream", "--quiet", "--every", "60", "--kernels", "gauss:1", "--checkpoint", f.At("state"), "-o", f.At("m"), "-")
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
	commandtest.Must(t, "verify", "--quiet", f.At("m"), f.File("rows", strings.Join(rows[:60], "")))
	commandtest.Must(t, "train", "--stream", "--quiet", "--kernels", "gauss:1", "--checkpoint", f.At("state"), "--resume", "-o", f.At("m"), f.File("rest", strings.Join(rows[60:], "")))
	commandtest.Must(t, "verify", "--quiet", f.At("m"), f.File("rows", strings.Join(rows, "")))
}

// TestContinue: the support vectors of a model replace its rows, for any scaling and store.
func TestContinue(t *testing.T) {
	f := commandtest.NewFolder(t)
	old, more := f.File("old", commandtest.Text(150, 1)), f.File("more", commandtest.Text(90, 2))
	for _, options := range []string{"", "--scale standard -C 10", "--scale minmax --store sparse --norm 1", "--positive 1 --scale global", "--probability --shared-preparation"} {
		args := append([]string{"train", "--quiet", "--kernels", "gauss:auto/3,linear", "-o", f.At("a"), old}, strings.Fields(options)...)
		commandtest.Must(t, args...)
		commandtest.Must(t, "train", "--quiet", "--continue", f.At("a"), "-o", f.At("b"), more)
		commandtest.Must(t, "verify", "--quiet", f.At("b"), f.At("a"), more)
		j := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("b"))
		vectors := commandtest.Object(t, contract.ExitFine, "inspect", "--json", f.At("a"))["support_vectors"].(float64)
		s, _ := j["stream"].(map[string]any)
		if s["seen"] != 240.0 || s["prepared"] != 150.0 || s["vectors"] != vectors || j["n"] != vectors+90 {
			t.Errorf("%s: %v of %v", options, s, j["n"])
		}
		// It can be continued itself, and on a stream.
		commandtest.Must(t, "train", "--quiet", "--continue", f.At("b"), "--stream", "--every", "50", "-o", f.At("c"), more)
		commandtest.Must(t, "verify", "--quiet", f.At("c"), f.At("b"), more)
	}
	if o := commandtest.Try("verify", "--quiet", f.At("b"), more); o.Code != contract.ExitCorrupt || !strings.Contains(o.Stderr, "the model that train --continue named comes before the data") {
		t.Errorf("without the model before: exit code %d: %s", o.Code, o.Stderr)
	}
	if o := commandtest.Try("train", "--quiet", "--continue", f.At("a"), "--kernels", "linear", "-o", f.At("b"), more); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "a model of other kernels") {
		t.Errorf("with other kernels: exit code %d: %s", o.Code, o.Stderr)
	}
	commandtest.Must(t, "train", "--quiet", "--task", "svr", "-o", f.At("r"), old)
	if o := commandtest.Try("train", "--quiet", "--continue", f.At("r"), "-o", f.At("b"), more); o.Code != contract.ExitUsage || !strings.Contains(o.Stderr, "--init starts from the model") {
		t.Errorf("a regression: exit code %d: %s", o.Code, o.Stderr)
	}
}
