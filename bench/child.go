package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"bigmkl"
)

// childName is the hidden command that runs one training in a child process, so the peaks of
// memory belong to that training alone. The training goes to its standard input as JSON, and the
// messages that come back have a line each. The input stays open while the parent lives; its end
// asks the child to stop.
const childName = "train-one"

// childMessage is a line that the child writes. One of its fields is set.
type childMessage struct {
	Event   *progressEvent `json:"event,omitempty"`
	Outcome *outcome       `json:"outcome,omitempty"`
	Failure string         `json:"failure,omitempty"`
}

// progressEvent states how far a training is.
type progressEvent struct {
	Iteration int     `json:"iteration"`
	Gap       float64 `json:"gap"`
	Seconds   float64 `json:"seconds"`
}

// reporter sends a few events a second.
type reporter struct {
	out  *json.Encoder
	last time.Time
}

// Record sends an iteration unless the latest one was sent just before.
func (r *reporter) Record(e bigmkl.Event) error {
	if time.Since(r.last) < time.Second/4 {
		return nil
	}
	r.last = time.Now()
	return r.out.Encode(childMessage{Event: &progressEvent{e.Iteration, e.Gap,
		e.Elapsed.Seconds()}})
}

// runChild is the main function of the child process.
func runChild(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var u training
	input := json.NewDecoder(in)
	if err := input.Decode(&u); err != nil {
		return err
	}
	go func() {
		io.Copy(io.Discard, in)
		cancel()
	}()
	e := json.NewEncoder(out)
	o, err := u.trainAndPredict(ctx, &reporter{out: e})
	if err != nil {
		return e.Encode(childMessage{Failure: err.Error()})
	}
	return e.Encode(childMessage{Outcome: &o})
}

// runTraining runs a training in a child process and shows its progress. If the training fails, the
// status of the outcome states why; the error is the context's.
func (s *session) runTraining(ctx context.Context, u training) (outcome, error) {
	if u.Options.Threads == 0 {
		u.Options.Threads = s.threads
	}
	if u.Options.Scratch == "" {
		u.Options.Scratch = s.scratch
	}
	if s.quick && u.Options.MaxTime == 0 {
		u.Options.MaxTime = quickTime
	}
	if err := ctx.Err(); err != nil {
		return outcome{}, err
	}
	o, err := s.startChild(ctx, u)
	if err != nil {
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		o = u.failed(err)
	}
	s.printLine("%s: %.2f s, gap %.1e, %s", u, o.Seconds, o.Gap, o.Status)
	return o, nil
}

// quickTime bounds each training of a quick run.
const quickTime = 10 * time.Second

// startChild starts the child process, watches its memory and returns its outcome.
func (s *session) startChild(ctx context.Context, u training) (outcome, error) {
	program, err := os.Executable()
	if err != nil {
		return outcome{}, err
	}
	text, err := json.Marshal(u)
	if err != nil {
		return outcome{}, err
	}
	c := exec.CommandContext(ctx, program, childName)
	c.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", u.Options.Threads))
	var complaints strings.Builder
	c.Stderr = &complaints
	input, err := c.StdinPipe()
	if err != nil {
		return outcome{}, err
	}
	defer input.Close()
	output, err := c.StdoutPipe()
	if err != nil {
		return outcome{}, err
	}
	// An interrupted child finishes its iteration and returns its outcome.
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = time.Minute
	start := time.Now()
	if err := c.Start(); err != nil {
		return outcome{}, err
	}
	watch := watchMemory(c.Process.Pid)
	_, err = input.Write(append(text, '\n'))
	last, failure := s.readMessages(output, u)
	peak := watch.stop()
	wait := c.Wait()
	switch {
	case last == nil && failure != "":
		return outcome{}, errors.New(failure)
	case last == nil:
		return outcome{}, errors.Join(err, wait, errors.New(strings.TrimSpace(complaints.String())))
	}
	last.Process = time.Since(start).Seconds()
	// A run may be too short for a sample; then the figures of the child itself count.
	last.Resident, last.Anonymous = max(last.Resident, peak.resident), max(last.Anonymous,
		peak.anonymous)
	return *last, nil
}

// readMessages reads the messages of a child until they end.
func (s *session) readMessages(r io.Reader, u training) (last *outcome, failure string) {
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadBytes('\n')
		var m childMessage
		if json.Unmarshal(line, &m) == nil {
			switch {
			case m.Event != nil:
				s.progress.showNow("%s: step %d, gap %.1e, %.0f s", u, m.Event.Iteration,
					m.Event.Gap, m.Event.Seconds)
			case m.Outcome != nil:
				last = m.Outcome
			case m.Failure != "":
				failure = m.Failure
			}
		}
		if err != nil {
			return last, failure
		}
	}
}
