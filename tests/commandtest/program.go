package commandtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/cluster"
	"bigmkl/internal/testlevel"
	"bigmkl/internal/testmain"
)

// Repeats is how often a test draws its cases or repeats its work: the value of the named variable,
// many times in the long run, else a few times.
func Repeats(t testing.TB, variable string, few, many int) int {
	t.Helper()
	if text := os.Getenv(variable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			t.Fatalf("%s is %q, which is no number of repetitions", variable, text)
		}
		return n
	}
	return testlevel.Repeats(few, many)
}

// Outcome is what a command line gave.
type Outcome struct {
	Code           int
	Stdout, Stderr string
}

// Program is the command that is tested: Execute and Main of package command.
type Program struct {
	Execute func(ctx context.Context, ranks cluster.Collective, stdin io.Reader, stdout, stderr io.Writer, args []string) int
	Main    func(grace time.Duration)
	// OnDisk is true of a package whose tests are about disks. Temporary folders of others are in memory.
	OnDisk bool
}

var tested Program

// RunTests runs the tests of a package. The binary of the tests replaces the command where a test starts
// it as a process.
func RunTests(m *testing.M, p Program) {
	register(p)
	if p.OnDisk {
		testmain.RunOnDisk(m)
	}
	testmain.Run(m)
}

// register keeps the command that is tested. In a process that replaces the command, it runs the command and
// does not return.
func register(p Program) {
	tested = p
	if os.Getenv("BIGMKL_TEST_AS_PROGRAM") != "" {
		grace := 4 * time.Second
		if short, err := time.ParseDuration(os.Getenv(ShortGrace)); err == nil {
			grace = short
		}
		p.Main(grace)
	}
}

// Run runs a command line with these streams.
func Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args ...string) int {
	return tested.Execute(ctx, nil, stdin, stdout, stderr, args)
}

// Execute runs a command line and keeps what it prints.
func Execute(ctx context.Context, stdin io.Reader, args ...string) Outcome {
	var stdout, stderr bytes.Buffer
	code := Run(ctx, stdin, &stdout, &stderr, args...)
	checkPrinted(args, stdout.String())
	return Outcome{code, stdout.String(), stderr.String()}
}

// Try runs a command line with nothing on standard input.
func Try(args ...string) Outcome {
	return Execute(context.Background(), strings.NewReader(""), args...)
}

// Must runs a command line that is to end well.
func Must(t testing.TB, args ...string) Outcome {
	t.Helper()
	o := Try(args...)
	if o.Code != contract.ExitFine {
		t.Fatalf("%q: exit code %d\n%s", args, o.Code, o.Stderr)
	}
	return o
}

// Object runs a command line that is to print one JSON object.
func Object(t testing.TB, code int, args ...string) map[string]any {
	t.Helper()
	o := Try(args...)
	if o.Code != code {
		t.Fatalf("%q: exit code %d, want %d\n%s", args, o.Code, code, o.Stderr)
	}
	return Decode(t, o.Stdout)
}

// Decode reads one object, which has to fit docs/output.schema.json.
func Decode(t testing.TB, text string) map[string]any {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	var out map[string]any
	if err := d.Decode(&out); err != nil {
		t.Fatalf("%v in %q", err, text)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("more than one object in %q", text)
	}
	CheckContract(t, out)
	return out
}
