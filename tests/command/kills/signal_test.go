package kills

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// TestSignals sends signals to a process that waits for more rows.
func TestSignals(t *testing.T) {
	rows := strings.Repeat("1 1:1\n-1 2:1\n", commandtest.ProgressRows/2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			f := commandtest.NewFolder(t)
			c := exec.Command(os.Args[0], "train", "-o", f.At("m"), "-")
			c.Env = append(os.Environ(), "BIGMKL_TEST_AS_PROGRAM=1")
			stdin, err := c.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			stderr, err := c.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			defer c.Process.Kill()
			if _, err := io.WriteString(stdin, rows); err != nil {
				t.Fatal(err)
			}
			// Its first line of progress shows that the process is in the middle of reading.
			lines := bufio.NewScanner(stderr)
			if !lines.Scan() {
				t.Fatal("no progress")
			}
			if err := c.Process.Signal(s); err != nil {
				t.Fatal(err)
			}
			var last string
			for lines.Scan() {
				last = lines.Text()
			}
			err = c.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != contract.ExitInterrupted || last != "bigmkl: interrupted while the data were read: no model is written" {
				t.Errorf("%v, %q", err, last)
			}
			if f.Exists("m") {
				t.Error("a model from half of the data")
			}
		})
	}
}

// TestClosedPipe: a reader of standard output that leaves ends the program silently, and its scratch files.
func TestClosedPipe(t *testing.T) {
	f, data, _, _ := commandtest.Trained(t)
	c := exec.Command(os.Args[0], "train", "--quiet", "-o", f.At("again"), data)
	c.Env = append(os.Environ(), "BIGMKL_TEST_AS_PROGRAM=1")
	var stderr strings.Builder
	c.Stderr = &stderr
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	c.Stdout = w
	err = c.Run()
	w.Close()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != contract.ExitPipe || stderr.Len() > 0 {
		t.Errorf("%v, %q", err, stderr.String())
	}
	if !f.Exists("again") {
		t.Error("the model is not written")
	}
}
