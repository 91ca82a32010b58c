package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/internal/cluster/shards"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// exitError ends a command that has written its result with an exit code other than 0. The result is
// complete, and the code qualifies it: a gap that was not reached, or requests that were cut.
// message is for people, and code one of package contract.
type exitError struct {
	code    int
	message string
}

// Error returns the message.
func (e *exitError) Error() string { return e.message }

// exitCode maps an error to an exit code. The outermost class decides: a model whose kernels make
// no sense is corrupt, although the innermost error is one of usage. The order of the questions is from
// the most specific cause to the class. An interrupt, for example, makes readers return errors of class
// Input.
func exitCode(err error) int {
	if err == nil {
		return contract.ExitFine
	}
	var end *exitError
	if errors.As(err, &end) {
		return end.code
	}
	// A training that was cut before it had a model ends by its own reason.
	var unfinished *bigmkl.Unfinished
	if errors.As(err, &unfinished) && unfinished.Status == chunking.TimeLimit {
		return contract.ExitStopped
	}
	var cut *shards.Cut
	if errors.As(err, &cut) && errors.Is(cut, context.DeadlineExceeded) {
		return contract.ExitStopped
	}
	// The context also has the reason why a reading of rows ended.
	if errors.Is(err, context.Canceled) {
		return contract.ExitInterrupted
	}
	// A full disk has one exit code, although readers and writers give its error different
	// classes.
	if files.Exhausted(err) {
		return contract.ExitBudget
	}
	var f *fail.Error
	if errors.As(err, &f) {
		switch f.Class {
		case fail.Usage:
			return contract.ExitUsage
		case fail.Input:
			return contract.ExitInput
		case fail.Corrupt, fail.Version:
			return contract.ExitCorrupt
		case fail.Budget:
			return contract.ExitBudget
		}
	}
	switch {
	case files.Readerless(err):
		return contract.ExitPipe
	// Standard output can fail in this way; files have errors of a class.
	case files.Broken(err):
		return contract.ExitBudget
	}
	// Every error that a user can cause has a class. An error without one is a fault of this
	// program.
	return contract.ExitBug
}

// explainError returns the text of an error for the user. An end by a signal or a limit has only
// its innermost text, because users need not know which operation it stopped. A bug is named as such,
// because no change of the command line can remedy it.
func explainError(err error) string {
	code := exitCode(err)
	if code == contract.ExitBug {
		return "a bug: " + err.Error() + " (please report it)"
	}
	if code != contract.ExitInterrupted && code != contract.ExitStopped {
		return err.Error()
	}
	var unfinished *bigmkl.Unfinished
	var cut *shards.Cut
	switch {
	case errors.As(err, &unfinished):
		return unfinished.Error()
	case errors.As(err, &cut):
		return cut.Error()
	// A reading that was interrupted would name the file that it read.
	case code == contract.ExitInterrupted && errors.Is(err, context.Canceled):
		return "interrupted"
	}
	return err.Error()
}

// splitJoined splits joined errors, each of which is printed on a line of its own.
// A join within a join is split, too.
func splitJoined(err error) []error {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []error{err}
	}
	// Other errors wrap several causes too, but only a join adds no words of its own.
	var texts []string
	for _, e := range joined.Unwrap() {
		texts = append(texts, e.Error())
	}
	if strings.Join(texts, "\n") != err.Error() {
		return []error{err}
	}
	var out []error
	for _, e := range joined.Unwrap() {
		out = append(out, splitJoined(e)...)
	}
	return out
}

// nameFiles adds the names of the data files to an error about the data that names no file. Faults
// of all rows together have no single line. Errors of a single row have the name of their file already.
// The function names at most three files, as a line of a hundred names hides the fault.
func nameFiles(err error, paths []string) error {
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
