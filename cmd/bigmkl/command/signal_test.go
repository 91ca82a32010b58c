package command

import (
	"bigmkl/cmd/bigmkl/contract"
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestSignals sends signals to a process that waits for more rows.
func TestSignals(t *testing.T) {
	rows := strings.Repeat("1 1:1\n-1 2:1\n", progressRows/2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		t.Run(s.String(), func(t *testing.T) {
			f := newFolder(t)
			c := exec.Command(os.Args[0], "train", "-o", f.at("m"), "-")
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
			if f.exists("m") {
				t.Error("a model from half of the data")
			}
		})
	}
}

// TestClosedPipe: a reader of standard output that leaves ends the program silently, and its scratch files.
func TestClosedPipe(t *testing.T) {
	f, data, _, _ := trained(t)
	c := exec.Command(os.Args[0], "train", "--quiet", "-o", f.at("again"), data)
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
	if !f.exists("again") {
		t.Error("the model is not written")
	}
}
