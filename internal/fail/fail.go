// Package fail classifies errors: what the caller can do about a failure is decided by its class, never by its text.
//
// An error of a class carries where it happened (file, line, column) and, where there is one, a hint. Test for a class
// with errors.Is(err, fail.Input). Classes map to the exit codes of the command line.
package fail

//lint:file-ignore ST1012 the package's name says that these are errors: fail.Input reads as a class

import (
	"errors"
	"fmt"
	"strings"
)

// The classes of failure.
var (
	Usage   = errors.New("usage")           // an option or kernel specification that makes no sense
	Input   = errors.New("input")           // data that cannot be used
	Corrupt = errors.New("corrupt file")    // a file of ours that is damaged
	Version = errors.New("newer version")   // a file of ours that a newer release wrote
	Budget  = errors.New("out of resource") // memory, disk or descriptors
)

// Error is a failure of one class at one place. Line and Column are 1-based; 0 means unknown.
type Error struct {
	Class        error
	File         string
	Line, Column int
	Message      string
	Hint         string
	Err          error
}

// New returns an error of the class with a formatted message; a %w verb keeps the cause.
func New(class error, format string, args ...any) *Error {
	e := fmt.Errorf(format, args...)
	return &Error{Class: class, Message: e.Error(), Err: errors.Unwrap(e)}
}

// At sets the place and returns e.
func (e *Error) At(file string, line, column int) *Error {
	e.File, e.Line, e.Column = file, line, column
	return e
}

// WithHint sets what the user can do about it and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Error formats "file:line:column: message (hint)".
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(e.File)
		if e.Line > 0 {
			fmt.Fprintf(&b, ":%d", e.Line)
			if e.Column > 0 {
				fmt.Fprintf(&b, ":%d", e.Column)
			}
		}
		b.WriteString(": ")
	}
	b.WriteString(e.Message)
	if e.Hint != "" {
		fmt.Fprintf(&b, " (%s)", e.Hint)
	}
	return b.String()
}

// Unwrap gives the class and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}
