package train

import (
	"context"
	"errors"
	"fmt"

	"bigmkl/chunking"
	"bigmkl/internal/cluster/shards"
)

// Unfinished is the error of a run that was asked to end before there was a model.
type Unfinished struct {
	Status chunking.Status // Interrupted or TimeLimit
	While  string          // the operation that was cut, as in "while the data were read"
	Kept   bool            // a checkpoint holds the state
	Advice string          // what keeps the state of such a run, or ""
	err    error           // error of the context
}

// Error describes why there is no model and whether the run can be resumed.
func (e *Unfinished) Error() string {
	what := "interrupted"
	if e.Status == chunking.TimeLimit {
		what = "the time limit was reached"
	}
	kept := ""
	if e.Advice != "" {
		kept = " (" + e.Advice + ")"
	}
	if e.Kept {
		kept = "; the state is kept in the folder of checkpoints"
	}
	return fmt.Sprintf("%s while %s: no model is written%s", what, e.While, kept)
}

// Unwrap returns the error of the context: context.Canceled or context.DeadlineExceeded.
func (e *Unfinished) Unwrap() error { return e.err }

// InProgress is the operation of a training that was cut between the start and the model, whose state a checkpoint can hold.
const InProgress = "the operation in progress took longer than the time that was left"

// Ended returns an Unfinished for the error of a context that has ended a run. while names the
// operation that was cut. Other errors, and an Unfinished, are returned as they are. ctx is the
// context that ended the run, or one that Cut returned.
func Ended(ctx context.Context, err error, while string) error {
	var known *Unfinished
	if !isDone(err) || errors.As(err, &known) {
		return err
	}
	u := &Unfinished{Status: askedStatus(ctx), While: while, err: err}
	// A source of rows may have a time limit of its own, which ctx does not have.
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		u.Status = chunking.TimeLimit
	}
	// A time limit has the same error whichever clock found it.
	if u.Status == chunking.TimeLimit {
		u.err = context.DeadlineExceeded
	}
	return u
}

// isDone reports whether an error is the error of a context of this process which has ended. Another rank reports its
// own operation.
func isDone(err error) bool {
	var other *shards.Cut
	return (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) && !errors.As(err, &other)
}

// askedStatus returns the status of a run whose context has ended: TimeLimit if the time limit of
// the run has ended it, and Interrupted if its caller has.
func askedStatus(ctx context.Context) chunking.Status {
	if cause := context.Cause(ctx); errors.Is(cause, errTimeLimit) {
		return chunking.TimeLimit
	}
	return chunking.Interrupted
}
