package command

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"bigmkl/cluster/shards"
	"bigmkl/cmd/bigmkl/contract"
)

// app holds what one invocation of the program works with: its streams, its messages and what it
// has to remove at its end.
type app struct {
	// args are the words of the command line, the first one being the command.
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	// messages go to stderr.
	messages *messages
	start    time.Time
	cleanup  *cleanup
	// team is the ranks that this process is one of; nil if it is alone.
	team *shards.Team
	// hangups gets a value for each SIGHUP once a command has set taking, to which that signal is a
	// wish to look at its files again and not to end.
	hangups chan struct{}
	taking  atomic.Bool
	// signals are those that the process was sent, of the kinds that it asked for.
	signals chan os.Signal
	// asked gets a value where another rank was asked to end. leave is set on a rank other than 0: it
	// asks rank 0 to end, and reports whether rank 0 ends this rank, too.
	asked chan struct{}
	leave atomic.Pointer[func() bool]
	// last is the time after the first signal at which the process ends, whatever it does.
	last atomic.Int64
	// grace is the time that the iteration in progress has after the first signal.
	grace time.Duration
	// requested is set if the command line is a request to a worker.
	requested bool
	// kept is the model that a worker keeps, and nil without a worker.
	kept *keptModel
}

// newApp returns an app that reads and writes the given streams.
func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, messages: newMessages(stderr),
		start: time.Now(), cleanup: &cleanup{}, hangups: make(chan struct{}, 1), signals: make(chan os.Signal, 2),
		asked: make(chan struct{}, 1), grace: Grace}
	a.last.Store(int64(lastMoment))
	return a
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

// print writes formatted results to standard output.
func (a *app) print(format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}

// printJSON writes v, a struct, as one JSON object and a line break to standard output. The object
// begins with the version of the contract and the name of the command.
func (a *app) printJSON(command string, v any) error {
	b, err := encodeJSON(command, v)
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(b)
	return err
}

// encodeJSON returns what printJSON writes.
func encodeJSON(command string, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte("{"+jsonHead(command)), b[1:], []byte{'\n'}), nil
}

// complain writes one line to standard error.
func (a *app) complain(format string,
	args ...any) {
	a.messages.write(fmt.Sprintf(format, args...))
}

// jsonHead returns the first keys of an object, which follow its brace.
func jsonHead(command string) string {
	return fmt.Sprintf(`"contract":%d,"command":"%s",`, contract.Version, command)
}
