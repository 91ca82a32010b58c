// Package fail classifies errors. The class of an error, and never its text, decides what the
// caller can do about it.
//
// An error of a class carries its place (file, line, column) and, if there is one, a hint.
// errors.Is(err, fail.Input) tests for a class. The command line turns classes into exit codes.
package fail

//lint:file-ignore ST1012 the package's name shows that these are errors: fail.Input reads as a class

import (
	"errors"
	"fmt"
	"strings"
)

// These are the classes of errors.
var (
	Usage   = errors.New("usage")           // An option or a kernel specification makes no sense.
	Input   = errors.New("input")           // Data cannot be used.
	Corrupt = errors.New("corrupt file")    // A file that this program wrote is damaged.
	Version = errors.New("newer version")   // A newer release of this program wrote the file.
	Budget  = errors.New("out of resource") // Memory, disk space or descriptors do not suffice.
)

// Error is a failure of one class at one place. Line and Column are 1-based, and 0 if they are
// unknown.
type Error struct {
	Class        error
	File         string
	Line, Column int
	Message      string
	Hint         string
	Err          error
}

var _ error = (*Error)(nil)

// New returns an error of the class with a formatted message. A %w verb keeps the cause.
func New(class error, format string, args ...any) *Error {
	e := fmt.Errorf(format, args...)
	return &Error{Class: class, Message: e.Error(), Err: errors.Unwrap(e)}
}

// At sets the place and returns e.
func (e *Error) At(file string, line, column int) *Error {
	e.File, e.Line, e.Column = file, line, column
	return e
}

// WithHint sets the hint, which states what the user can do, and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Error returns the text "file:line:column: message (hint)".
func (e *Error) Error() string {
	var b strings.Builder
	if e.File != "" {
		b.WriteString(Path(e.File))
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

// Unwrap returns the class and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}
