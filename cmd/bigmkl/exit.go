package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// The exit codes.
const (
	exitFine        = 0
	exitBug         = 1
	exitUsage       = 2
	exitInput       = 3
	exitStopped     = 4 // before the gap was reached; the model is written
	exitCorrupt     = 5
	exitBudget      = 6
	exitInterrupted = 130
	exitPipe        = 141 // nobody reads standard output any more: what the shell shows for SIGPIPE
)

// ending is an end of a command that is no failure of it but has an exit code.
type ending struct {
	code    int
	message string
}

func (e *ending) Error() string { return e.message }

// exitCode classifies an error. The outermost class counts: a model whose kernels make no sense is corrupt, though the cause
// is one of usage.
func exitCode(err error) int {
	if err == nil {
		return exitFine
	}
	var end *ending
	if errors.As(err, &end) {
		return end.code
	}
	var unfinished *bigmkl.Unfinished
	if errors.As(err, &unfinished) && unfinished.Status == chunking.TimeLimit {
		return exitStopped
	}
	if errors.Is(err, context.Canceled) { // also as the reason why reading stopped
		return exitInterrupted
	}
	if files.Exhausted(err) { // whatever was made of it
		return exitBudget
	}
	var f *fail.Error
	if errors.As(err, &f) {
		switch f.Class {
		case fail.Usage:
			return exitUsage
		case fail.Input:
			return exitInput
		case fail.Corrupt, fail.Version:
			return exitCorrupt
		case fail.Budget:
			return exitBudget
		}
	}
	switch {
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	case errors.Is(err, syscall.EIO): // of standard output
		return exitBudget
	}
	return exitBug
}

// explain words an error for the user.
func explain(err error) string {
	switch exitCode(err) {
	case exitBug:
		return "a bug: " + err.Error() + " (please report it)"
	case exitInterrupted:
		var unfinished *bigmkl.Unfinished
		if errors.As(err, &unfinished) {
			return unfinished.Error()
		}
		if errors.Is(err, context.Canceled) {
			return "interrupted"
		}
	case exitStopped:
		var unfinished *bigmkl.Unfinished
		if errors.As(err, &unfinished) {
			return unfinished.Error()
		}
	}
	return err.Error()
}

// leaves takes joined errors apart, so that each gets a line.
func leaves(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	// Others have several causes too; only a join adds no words of its own.
	var texts []string
	for _, e := range joined.Unwrap() {
		texts = append(texts, e.Error())
	}
	if strings.Join(texts, "\n") != err.Error() {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, leaves(e)...)
	}
	return out
}

// inFiles names the data in an error about them that names no file: what is wrong with all rows together stands at no line.
func inFiles(err error, paths []string) error {
	var f *fail.Error
	if errors.As(err, &f) && f.Class == fail.Input && f.File == "" {
		const named = 3
		f.File = strings.Join(paths[:min(named, len(paths))], ", ")
		if more := len(paths) - named; more > 0 {
			f.File += fmt.Sprintf(" and %d more", more)
		}
	}
	return err
}
