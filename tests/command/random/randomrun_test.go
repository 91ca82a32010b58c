package random

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/tests/commandtest"
)

// endsWithin is the time within which a process that gets SIGTERM has to end.
const endsWithin = 10 * time.Second

// strike is a signal that a process gets some time after its start.
type strike struct {
	signal syscall.Signal
	after  time.Duration
}

// ended is what a process left.
type ended struct {
	commandtest.Outcome
	args   []string
	killed syscall.Signal // what ended it, if a signal did
	struck bool           // the strike came before the end
	late   bool           // it outlasted SIGTERM by more than that: stderr then ends in its stacks
	long   bool           // it was still running after its limit, and got SIGTERM then
	took   time.Duration
}

// Limits of time after which a process gets SIGTERM.
const (
	small   = 10 * time.Second // of a small problem
	longest = 90 * time.Second // of the same in whatever regime
)

// launch runs a command line as a process, with its scratch files in a folder of the given one, and
// strikes it if s is not nil. It waits no longer than the limit and twice endsWithin.
func launch(folder string, limit time.Duration, s *strike, args ...string) *ended {
	scratch := filepath.Join(folder, "scratch")
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		panic(err)
	}
	c := commandtest.NewProcess(args...)
	c.Env = append(c.Env, "TMPDIR="+scratch)
	e := &ended{args: args}
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	start := time.Now()
	if err := c.Start(); err != nil {
		panic(err)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	e.await(c, done, limit, s)
	e.took = time.Since(start)
	status := c.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		e.killed = status.Signal()
	}
	e.Code, e.Stdout, e.Stderr = c.ProcessState.ExitCode(), stdout.String(), stderr.String()
	return e
}

// await waits for the end of a process and sends the signals that are due.
func (e *ended) await(c *exec.Cmd, done <-chan error, limit time.Duration, s *strike) {
	var blow, patience <-chan time.Time
	end := time.After(limit)
	if s != nil {
		blow = time.After(s.after)
	}
	for {
		select {
		case <-done:
			return
		case <-blow:
			e.struck = true
			c.Process.Signal(s.signal)
			patience = time.After(endsWithin)
		case <-end:
			e.long = true
			c.Process.Signal(syscall.SIGTERM)
			if patience == nil {
				patience = time.After(endsWithin)
			}
		case <-patience:
			e.late = true
			c.Process.Signal(syscall.SIGQUIT) // which prints the stacks
			select {
			case <-done:
				return
			case <-time.After(endsWithin):
				c.Process.Kill()
			}
		}
	}
}

// shell is a command line as one would type it.
func shell(args []string) string {
	var words []string
	for _, a := range append([]string{"bigmkl"}, args...) {
		if a == "" || strings.ContainsAny(a, " \t()*'%") {
			a = "'" + a + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// mentions reports whether a text is in the messages of the process.
func (e *ended) mentions(text string) bool { return strings.Contains(e.Stderr, text) }

// finished reports whether a training ended by itself, with the requested gap or without.
func (e *ended) finished() bool {
	return e.killed == 0 && (e.Code == contract.ExitFine || e.Code == contract.ExitStopped)
}
