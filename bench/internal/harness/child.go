package harness

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

// ChildName is the hidden command that runs one training in a child process, so the peaks of
// memory belong to that training alone. The training goes to its standard input as JSON, and the
// messages that come back have a line each. The input stays open while the parent lives; its end
// asks the child to stop.
const ChildName = "train-one"

// childMessage is a line that the child writes. One of its fields is set.
type childMessage struct {
	// Event comes many times, and Outcome or Failure once at the end.
	Event   *progressEvent `json:"event,omitempty"`
	Outcome *Outcome       `json:"outcome,omitempty"`
	Failure string         `json:"failure,omitempty"`
}

// progressEvent states how far a training is.
type progressEvent struct {
	// Seconds is the time since the training began.
	Iteration int     `json:"iteration"`
	Gap       float64 `json:"gap"`
	Seconds   float64 `json:"seconds"`
}

// reporter sends a few events a second.
// It is the Recorder of the training in the child.
type reporter struct {
	out  *json.Encoder
	last time.Time
}

// Record sends an iteration unless the latest one was sent just before. Each message costs the parent a
// line on its terminal. Small trainings have thousands of iterations a second.
func (r *reporter) Record(e bigmkl.Event) error {
	// Four events a second are as fast as a reader can follow.
	if time.Since(r.last) < time.Second/4 {
		return nil
	}
	r.last = time.Now()
	return r.out.Encode(childMessage{Event: &progressEvent{e.Iteration, e.Gap,
		e.Elapsed.Seconds()}})
}

// runChild is the main function of the child process.
// The first value of in is a Training as JSON. A fault of the training is a message, not an exit code.
func runChild(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var u Training
	// The parent keeps the input open behind the training. When it ends, by whatever reason, the child
	// stops as well and leaves no process behind.
	input := json.NewDecoder(in)
	if err := input.Decode(&u); err != nil {
		return err
	}
	// The goroutine ends with the process.
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

// Train runs a training in a child process and shows its progress. If the training fails, the
// status of the outcome states why; the error is the context's.
// A failure does not end the experiment: a limit or a fault of one training is a result.
func (s *Session) Train(ctx context.Context, u Training) (Outcome, error) {
	if u.Options.Threads == 0 {
		u.Options.Threads = s.Threads
	}
	if u.Options.Scratch == "" {
		u.Options.Scratch = s.Scratch
	}
	// Quick runs check that experiments work. Their figures mean nothing.
	if s.Quick && u.Options.MaxTime == 0 {
		u.Options.MaxTime = QuickTime
	}
	if err := ctx.Err(); err != nil {
		return Outcome{}, err
	}
	o, err := s.startChild(ctx, u)
	if err != nil {
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		// The outcome of a failure has the text of the error as its status.
		o = u.failed(err)
	}
	s.PrintLine("%s: %.2f s, gap %.1e, %s", u, o.Seconds, o.Gap, o.Status)
	return o, nil
}

// QuickTime bounds each training of a quick run.
const QuickTime = 10 * time.Second

// inChild is set in the environment of a child process, which starts no further one. Without it, a program that
// does not serve ChildName would start itself again and again.
const inChild = "BIGMKL_BENCH_CHILD"

// startChild starts the child process, watches its memory and returns its outcome.
func (s *Session) startChild(ctx context.Context, u Training) (Outcome, error) {
	if os.Getenv(inChild) != "" {
		return Outcome{}, fmt.Errorf("the program does not serve %s", ChildName)
	}
	program, err := os.Executable()
	if err != nil {
		return Outcome{}, err
	}
	text, err := json.Marshal(u)
	if err != nil {
		return Outcome{}, err
	}
	// GOMAXPROCS bounds the garbage collector as well, so a training on one thread uses one core.
	// The child is the same program, so it has the same code and version.
	c := exec.CommandContext(ctx, program, ChildName)
	c.Env = append(os.Environ(), inChild+"=1", fmt.Sprintf("GOMAXPROCS=%d", u.Options.Threads))
	var complaints strings.Builder
	c.Stderr = &complaints
	input, err := c.StdinPipe()
	if err != nil {
		return Outcome{}, err
	}
	defer input.Close()
	output, err := c.StdoutPipe()
	if err != nil {
		return Outcome{}, err
	}
	// An interrupted child finishes its iteration and returns its outcome.
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = time.Minute
	start := time.Now()
	if err := c.Start(); err != nil {
		return Outcome{}, err
	}
	// The watcher samples the memory from outside, so the child pays nothing.
	watch := watchMemory(c.Process.Pid)
	// The error matters only if no outcome comes back.
	_, err = input.Write(append(text, '\n'))
	last, failure := s.readMessages(output, u)
	// The watcher stops before Wait: afterwards the number of the process may belong to another one.
	peak := watch.stop()
	wait := c.Wait()
	switch {
	// The child has reported why.
	case last == nil && failure != "":
		return Outcome{}, errors.New(failure)
	case last == nil:
		return Outcome{}, errors.Join(err, wait, errors.New(strings.TrimSpace(complaints.String())))
	}
	// The time of the process has the start of the runtime and the reading of the data in it, which
	// Seconds has not.
	last.Process = time.Since(start).Seconds()
	// A run may be too short for a sample; then the figures of the child itself count.
	last.Resident, last.Anonymous = max(last.Resident, peak.Resident), max(last.Anonymous,
		peak.anonymous)
	return *last, nil
}

// readMessages reads the messages of a child until they end. A line that is not a message is skipped:
// libraries of the child may print.
// An outcome is the last message. The end of the output ends the loop.
func (s *Session) readMessages(r io.Reader, u Training) (last *Outcome, failure string) {
	for lines := bufio.NewReader(r); ; {
		line, err := lines.ReadBytes('\n')
		var m childMessage
		if json.Unmarshal(line, &m) == nil {
			switch {
			case m.Event != nil:
				s.Progress.ShowNow("%s: step %d, gap %.1e, %.0f s", u, m.Event.Iteration,
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
