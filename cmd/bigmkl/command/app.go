package command

import (
	"io"
	"time"

	"bigmkl/internal/cluster/shards"
)

// app is one invocation of the program: its command line, its streams, its signals, and its
// place among other processes. Commands embed it. Nothing else is shared between commands, and no
// package variable has state. Several invocations can therefore run in one process: the ranks of a
// test, or the requests to a worker.
type app struct {
	*console
	*opener
	*interrupts
	// args are the words of the command line, the first one being the command.
	args []string
	// start is the time of the invocation. The durations that reports print include the reading of
	// flags and data.
	start time.Time
	// team is the ranks that this process is one of; nil if it is alone.
	team *shards.Team
	// grace is the time that the iteration in progress has after the first signal.
	grace time.Duration
	// requested is set if the command line is a request to a worker.
	requested bool
	// kept is the model that a worker keeps, and nil without a worker.
	kept *keptModel
}

// newApp returns an app that reads and writes the given streams.
//
// The app is alone until join makes it one of several ranks.
func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{console: &console{stdout, stderr, newMessages(stderr)}, opener: &opener{stdin, &cleanup{}},
		interrupts: newInterrupts(), start: time.Now(), grace: Grace}
}

// remembering passes on what is written and keeps the first error. The parser of the command line writes
// help and completions without looking at errors.
type remembering struct {
	to    io.Writer
	fault error
}

// Write implements io.Writer.
func (r *remembering) Write(b []byte) (int, error) {
	n, err := r.to.Write(b)
	if r.fault == nil {
		r.fault = err
	}
	return n, err
}
