package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { runTests(m, program{Execute, Main}) }

func TestCommandLineShape(t *testing.T) {
	f, data, test, model := trained(t)
	for _, args := range [][]string{
		{"train", data, "-o", f.at("a"), "--quiet", "--kernels", "linear"},
		{"train", "-o", f.at("b"), data, "--kernels=linear", "--quiet", "-C", "1", "--norm", "4/3"},
		{"train", "--theta-norm", "2", "-o" + f.at("c"), "-C1", "--kernels", "linear", data},
	} {
		must(t, args...)
	}
	if f.read("a") != f.read("b") || f.read("a") != f.read("c") {
		t.Error("the same settings in other words give another model")
	}
	must(t, "predict", model, test, "-o", f.at("p"), "--quiet")
	must(t, "verify", model, data, "--json")
	for _, args := range [][]string{{"--help"}, {"train", "--help"}, {"help", "gram"}, {"version"}, {"--version"}} {
		if o := must(t, args...); o.stdout == "" || o.stderr != "" {
			t.Errorf("%q: %q on standard output, %q on standard error", args, o.stdout, o.stderr)
		}
	}
}

func TestStandardInput(t *testing.T) {
	f, _, test, model := trained(t)
	o := execute(context.Background(), strings.NewReader(f.read("train.txt")),
		"train", "--quiet", "--kernels", "gauss:0.05,linear", "-o", f.at("piped"), "-")
	if o.code != 0 || f.read("piped") != f.read("m") {
		t.Errorf("exit code %d, or another model from standard input: %s", o.code, o.stderr)
	}
	want := must(t, "predict", model, test).stdout
	o = execute(context.Background(), strings.NewReader(f.read("test.txt")), "predict", model, "-")
	if o.stdout != want {
		t.Errorf("predictions from standard input differ")
	}
	o = execute(context.Background(), strings.NewReader("1 1:1\n1 2:x\n"), "train", "-o", f.at("no"), "-")
	if o.code != contract.ExitInput || !strings.HasPrefix(o.stderr, "bigmkl: <stdin>:2:3: ") {
		t.Errorf("exit code %d, %q", o.code, o.stderr)
	}
	if o := execute(context.Background(), strings.NewReader(f.read("train.txt")), "verify", model, "-"); o.code != 0 {
		t.Errorf("verify from standard input: %d %s", o.code, o.stderr)
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
	f := newFolder(t)
	data := f.file("train.txt", text(300, 1))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var stdout bytes.Buffer
	stderr := &canceller{cancel: cancel}
	code := run(ctx, strings.NewReader(""), &stdout, stderr,
		"train", "--json", "--norm", "1", "--gap", "1e-6", "--test", data, "-o", f.at("m"), data)
	if code != contract.ExitInterrupted {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	if !strings.Contains(stderr.String(), "bigmkl: interrupted at") {
		t.Errorf("standard error: %s", stderr)
	}
	if got := decode(t, stdout.String())["status"]; got != "interrupted" {
		t.Errorf("status %v", got)
	}
	must(t, "verify", f.at("m"), data)
}

func TestCancelledBeforeTraining(t *testing.T) {
	f, data, test, model := trained(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"train", "-o", f.at("new"), data},
		{"gram", "--kernels", "linear", "-o", f.at("new"), data},
		{"align", "--kernels", "linear", "-o", f.at("new"), data},
		{"select", "-o", f.at("new"), data},
		{"predict", model, test, "-o", f.at("new")},
		{"verify", model, data},
		{"demo"},
	} {
		o := execute(ctx, strings.NewReader(""), args...)
		if o.code != contract.ExitInterrupted || strings.Count(o.stderr, "\n") != 1 || !strings.HasPrefix(o.stderr, "bigmkl: interrupted") {
			t.Errorf("%q: exit code %d, %q", args, o.code, o.stderr)
		}
		if f.exists("new") {
			t.Errorf("%q wrote a file", args)
		}
	}
	blocked, w := io.Pipe()
	defer w.Close()
	if o := execute(ctx, blocked, "train", "-o", f.at("new"), "-"); o.code != contract.ExitInterrupted {
		t.Errorf("waiting for standard input: exit code %d, %q", o.code, o.stderr)
	}
}

// panicker stands for a bug.
type panicker struct{}

func (panicker) Write([]byte) (int, error) { panic("out of order") }

func TestPanicIsABug(t *testing.T) {
	var stderr bytes.Buffer
	code := run(context.Background(), strings.NewReader(""), panicker{}, &stderr, "version")
	if code != contract.ExitBug || !strings.HasPrefix(stderr.String(), "bigmkl: a bug: out of order") {
		t.Errorf("exit code %d, %q", code, stderr.String())
	}
}

func TestStopsBeforeTheGap(t *testing.T) {
	f := newFolder(t)
	data := f.file("train.txt", text(2500, 1))
	for name, args := range map[string][]string{
		"iteration_limit": {"--max-iter", "1"},
		"time_limit":      {"--max-time", "3s"},
		"stalled":         {"--precision", "32", "--gap", "1e-12", "--kernels", "gauss:auto", "--norm", "2"},
	} {
		args = append([]string{"train", "--quiet", "--json", "--gap", "1e-11", "--norm", "1", "--kernels", "gauss:auto/40", "-o", f.at(name), data}, args...)
		got := object(t, contract.ExitStopped, args...)
		if got["status"] != name {
			t.Errorf("status %v, want %s", got["status"], name)
		}
		must(t, "inspect", f.at(name))
	}
}

func TestQuietAndProgress(t *testing.T) {
	f := newFolder(t)
	data := f.file("train.txt", text(80, 1))
	if o := must(t, "train", "-o", f.at("m"), data); !strings.Contains(o.stderr, "step 1, gap ") {
		t.Errorf("no progress on standard error: %q", o.stderr)
	}
	if o := must(t, "train", "--quiet", "-o", f.at("m"), data); o.stderr != "" {
		t.Errorf("--quiet, and yet %q", o.stderr)
	}
}
