package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// app holds what one invocation of the program works with: its streams, its messages and what it
// has to remove at its end.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	// messages go to stderr.
	messages *messages
	start    time.Time
	cleanup  cleanup
}

// newApp returns an app that reads and writes the given streams.
func newApp(stdin io.Reader, stdout, stderr io.Writer) *app {
	return &app{stdin: stdin, stdout: stdout, stderr: stderr, messages: newMessages(stderr),
		start: time.Now()}
}

// print writes formatted results to standard output.
func (a *app) print(format string, args ...any) error {
	_, err := fmt.Fprintf(a.stdout, format, args...)
	return err
}

// printJSON writes v as one JSON object and a line break to standard output.
func (a *app) printJSON(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = a.stdout.Write(append(b, '\n'))
	return err
}

// complain writes one line to standard error.
func (a *app) complain(format string,
	args ...any) {
	a.messages.write(fmt.Sprintf(format, args...))
}
