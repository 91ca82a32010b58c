package shards

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"bigmkl/internal/fail"
)

// An error of one rank reaches the others as the number of its class and its text.

// classes are the classes of errors, of which a frame has the number.
var classes = []error{fail.Usage, fail.Input, fail.Corrupt, fail.Version, fail.Budget, context.Canceled, context.DeadlineExceeded}

// classOf is the number of the class of an error, -1 for none.
func classOf(err error) int {
	return slices.IndexFunc(classes, func(class error) bool { return errors.Is(err, class) })
}

// failed is the error of another rank.
func failed(class, rank int, text string) error {
	if class < 0 || class >= len(classes) {
		return fmt.Errorf("rank %d: %s", rank, text)
	}
	switch c := classes[class]; {
	case c == context.Canceled && text == c.Error():
		return &Cut{rank, "interrupted", c}
	case c == context.DeadlineExceeded && text == c.Error():
		return &Cut{rank, "the time limit was reached", c}
	case c == context.Canceled || c == context.DeadlineExceeded:
		return &Cut{rank, text, c}
	}
	return fail.New(classes[class], "rank %d: %s", rank, text)
}

// Cut is the error of another rank that was interrupted or came to its time limit before all had joined.
type Cut struct {
	Rank  int
	Text  string // what that rank reports of it
	cause error
}

func (e *Cut) Error() string { return fmt.Sprintf("rank %d: %s", e.Rank, e.Text) }

// Unwrap returns context.Canceled or context.DeadlineExceeded.
func (e *Cut) Unwrap() error { return e.cause }

// judge returns what keeps the ranks from beginning, or nil. frames are what they have said, and
// own is the error of this rank.
func judge(frames [][]byte, own error) error {
	if own != nil {
		return own
	}
	first := ""
	for rank, frame := range frames {
		r := &reader{frame: frame}
		ok, identity, class, text := r.flag(), r.text(), r.number(), r.text()
		switch {
		case r.err != nil:
			return r.err
		case !ok:
			return failed(class, rank, text)
		case rank == 0:
			first = identity
		case identity != first:
			return fail.New(fail.Version, "rank %d would train another model than rank 0: %s", rank,
				strings.Join(differences(first, identity), ", ")).
				WithHint("all ranks need the same data, options, program and instruction set")
		}
	}
	return nil
}

// differences lists the lines of one identity that the other has not.
func differences(first, other string) []string {
	has := map[string]bool{}
	for line := range strings.Lines(first) {
		has[line] = true
	}
	var list []string
	for line := range strings.Lines(other) {
		if !has[line] {
			list = append(list, fail.Quote(strings.TrimSpace(line)))
		}
	}
	return list
}
