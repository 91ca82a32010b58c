package command

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

func TestMain(m *testing.M) {
	commandtest.RunTests(m, commandtest.Program{Execute: Execute, Main: Main})
}

func TestCommandLineShape(t *testing.T) {
	f, data, test, model := commandtest.Trained(t)
	for _, args := range [][]string{
		{"train", data, "-o", f.At("a"), "--quiet", "--kernels", "linear"},
		{"train", "-o", f.At("b"), data, "--kernels=linear", "--quiet", "-C", "1", "--norm", "4/3"},
		{"train", "--theta-norm", "2", "-o" + f.At("c"), "-C1", "--kernels", "linear", data},
	} {
		commandtest.Must(t, args...)
	}
	if f.Read("a") != f.Read("b") || f.Read("a") != f.Read("c") {
		t.Error("the same settings in other words give another model")
	}
	commandtest.Must(t, "predict", model, test, "-o", f.At("p"), "--quiet")
	commandtest.Must(t, "verify", model, data, "--json")
	for _, args := range [][]string{{"--help"}, {"train", "--help"}, {"help", "gram"}, {"version"}, {"--version"}} {
		if o := commandtest.Must(t, args...); o.Stdout == "" || o.Stderr != "" {
			t.Errorf("%q: %q on standard output, %q on standard error", args, o.Stdout, o.Stderr)
		}
	}
}

func TestStandardInput(t *testing.T) {
	f, _, test, model := commandtest.Trained(t)
	o := commandtest.Execute(context.Background(), strings.NewReader(f.Read("train.txt")),
		"train", "--quiet", "--kernels", "gauss:0.05,linear", "-o", f.At("piped"), "-")
	if o.Code != 0 || f.Read("piped") != f.Read("m") {
		t.Errorf("exit code %d, or another model from standard input: %s", o.Code, o.Stderr)
	}
	want := commandtest.Must(t, "predict", model, test).Stdout
	o = commandtest.Execute(context.Background(), strings.NewReader(f.Read("test.txt")), "predict", model, "-")
	if o.Stdout != want {
		t.Errorf("predictions from standard input differ")
	}
	o = commandtest.Execute(context.Background(), strings.NewReader("1 1:1\n1 2:x\n"), "train", "-o", f.At("no"), "-")
	if o.Code != contract.ExitInput || !strings.HasPrefix(o.Stderr, "bigmkl: <stdin>:2:3: ") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
	if o := commandtest.Execute(context.Background(), strings.NewReader(f.Read("train.txt")), "verify", model, "-"); o.Code != 0 {
		t.Errorf("verify from standard input: %d %s", o.Code, o.Stderr)
	}
}

// canceller ends a context when the first progress line is written.
type canceller struct {
	bytes.Buffer
	cancel context.CancelFunc
}

func (c *canceller) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("step")) {
		c.cancel()
	}
	return c.Buffer.Write(b)
}

func TestInterruptedTrainingWritesModel(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("train.txt", commandtest.Text(300, 1))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stdout bytes.Buffer
	stderr := &canceller{cancel: cancel}
	code := commandtest.Run(ctx, strings.NewReader(""), &stdout, stderr,
		"train", "--json", "--norm", "1", "--gap", "1e-6", "--test", data, "-o", f.At("m"), data)
	if code != contract.ExitInterrupted {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	if !strings.Contains(stderr.String(), "bigmkl: interrupted at") {
		t.Errorf("standard error: %s", stderr)
	}
	if got := commandtest.Decode(t, stdout.String())["status"]; got != "interrupted" {
		t.Errorf("status %v", got)
	}
	commandtest.Must(t, "verify", f.At("m"), data)
}

func TestCancelledBeforeTraining(t *testing.T) {
	f, data, test, model := commandtest.Trained(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"train", "-o", f.At("new"), data},
		{"gram", "--kernels", "linear", "-o", f.At("new"), data},
		{"align", "--kernels", "linear", "-o", f.At("new"), data},
		{"select", "-o", f.At("new"), data},
		{"predict", model, test, "-o", f.At("new")},
		{"verify", model, data},
		{"demo"},
	} {
		o := commandtest.Execute(ctx, strings.NewReader(""), args...)
		if o.Code != contract.ExitInterrupted || strings.Count(o.Stderr, "\n") != 1 || !strings.HasPrefix(o.Stderr, "bigmkl: interrupted") {
			t.Errorf("%q: exit code %d, %q", args, o.Code, o.Stderr)
		}
		if f.Exists("new") {
			t.Errorf("%q wrote a file", args)
		}
	}
	blocked, w := io.Pipe()
	defer w.Close()
	if o := commandtest.Execute(ctx, blocked, "train", "-o", f.At("new"), "-"); o.Code != contract.ExitInterrupted {
		t.Errorf("waiting for standard input: exit code %d, %q", o.Code, o.Stderr)
	}
}

// panicker imitates a bug.
type panicker struct{}

func (panicker) Write([]byte) (int, error) { panic("out of order") }

func TestPanicIsABug(t *testing.T) {
	var stderr bytes.Buffer
	code := commandtest.Run(context.Background(), strings.NewReader(""), panicker{}, &stderr, "version")
	if code != contract.ExitBug || !strings.HasPrefix(stderr.String(), "bigmkl: a bug: out of order") {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}

// TestStopsBeforeTheGap: whatever ends a run before its gap is the status, and the model is written.
func TestStopsBeforeTheGap(t *testing.T) {
	f := commandtest.NewFolder(t)
	few, many := f.File("few.txt", commandtest.Text(300, 1)), f.File("many.txt", commandtest.Text(2500, 1))
	run := func(name string, args ...string) commandtest.Outcome {
		return commandtest.Try(append([]string{"train", "--quiet", "--json", "--gap", "1e-11", "--norm", "1", "--kernels", "gauss:auto/40", "-o", f.At(name)}, args...)...)
	}
	ended := map[string]commandtest.Outcome{
		"iteration_limit": run("iteration_limit", "--max-iter", "1", few),
		"stalled":         run("stalled", "--precision", "32", "--gap", "1e-12", "--kernels", "gauss:auto", "--norm", "2", few),
	}
	// The limit holds for all that comes before the training as well. It is doubled until the training begins within it.
	for limit := 50 * time.Millisecond; ; limit *= 2 {
		o := run("time_limit", "--max-time", limit.String(), many)
		if o.Code != contract.ExitStopped || !strings.Contains(o.Stderr, ": no model is written") {
			ended["time_limit"] = o
			break
		}
		if o.Stdout != "" || f.Exists("time_limit") {
			t.Errorf("a model without a training: %s", o.Stdout)
		}
	}
	for name, o := range ended {
		if o.Code != contract.ExitStopped {
			t.Errorf("%s: exit code %d\n%s", name, o.Code, o.Stderr)
			continue
		}
		if got := commandtest.Decode(t, o.Stdout)["status"]; got != name {
			t.Errorf("status %v, want %s", got, name)
		}
		commandtest.Must(t, "inspect", f.At(name))
	}
}

func TestQuietAndProgress(t *testing.T) {
	f := commandtest.NewFolder(t)
	data := f.File("train.txt", commandtest.Text(80, 1))
	if o := commandtest.Must(t, "train", "-o", f.At("m"), data); !strings.Contains(o.Stderr, "step 1, gap ") {
		t.Errorf("no progress on standard error: %q", o.Stderr)
	}
	if o := commandtest.Must(t, "train", "--quiet", "-o", f.At("m"), data); o.Stderr != "" {
		t.Errorf("--quiet, and yet %q", o.Stderr)
	}
}
