package train

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"bigmkl/chunking"
)

// Stopping. A run is asked to end by its context or by its limit of time. What comes before the
// first iteration ends at once, as nothing is lost by it. From then on the iteration in hand comes
// to its end, the points that sleep wake, and there is a model; what takes longer than the grace is
// cut. An iteration that is cut leaves a checkpoint in its midst, and no model: one with gradients
// that are half those of another would claim what nobody has computed.

// lateShare: of a limit of time one part in so many is left for the iteration in hand and the
// model, if that is more than the grace.
const lateShare = 10

// errTimeLimit is the cause with which a context ends that the limit of time ends.
var errTimeLimit = errors.New("the limit of time")

// Unfinished is the error of a run that was asked to end and has no model to show for it.
type Unfinished struct {
	Status chunking.Status // Interrupted or TimeLimit
	While  string          // what it was that was cut
	Kept   bool            // a checkpoint holds the state
	err    error           // of the context
}

// Error says why there is no model.
func (e *Unfinished) Error() string {
	what := "interrupted"
	if e.Status == chunking.TimeLimit {
		what = "the time limit was reached"
	}
	kept := ""
	if e.Kept {
		kept = "; the state is kept in the folder of checkpoints"
	}
	return fmt.Sprintf("%s while %s: no model is written%s", what, e.While, kept)
}

// Unwrap gives the error of the context: context.Canceled, or context.DeadlineExceeded.
func (e *Unfinished) Unwrap() error { return e.err }

// within gives a context that is done when the limit of time for a run that has begun then has
// passed.
func (l Limits) within(ctx context.Context, began time.Time) (context.Context, context.CancelFunc) {
	if l.Time == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithDeadlineCause(ctx, began.Add(l.Time), errTimeLimit)
}

// Cut gives the context of what a run does once it has been asked to end, the writing of its model
// included: it is done when Grace has passed after the end of ctx or, if that is later, a tenth of
// Time after the limit of time of a run that has begun then. Without a Grace it is never done.
// stop gives it up.
func (l Limits) Cut(ctx context.Context, began time.Time) (hard context.Context, stop func()) {
	hard, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	if l.Grace == 0 {
		return hard, func() { cancel(nil) }
	}
	over := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		var late <-chan time.Time
		if l.Time > 0 {
			timer := time.NewTimer(time.Until(began.Add(l.Time + max(l.Grace, l.Time/lateShare))))
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-late:
			cancel(errTimeLimit)
			return
		case <-over:
			return
		case <-ctx.Done():
		}
		grace := time.NewTimer(l.Grace)
		defer grace.Stop()
		select {
		case <-late:
			cancel(errTimeLimit)
		case <-grace.C:
			cancel(context.Cause(ctx))
		case <-over:
		}
	})
	return hard, func() {
		close(over)
		wait.Wait()
		cancel(nil)
	}
}

// Ended makes an error of a context that has ended a run one that says so and what was cut; others
// stay what they are. ctx is that context, or one of Cut.
func Ended(ctx context.Context, err error, while string) error {
	var known *Unfinished
	if !isDone(err) || errors.As(err, &known) {
		return err
	}
	u := &Unfinished{Status: askedStatus(ctx), While: while, err: err}
	if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) { // a source of rows that has a limit of time itself
		u.Status = chunking.TimeLimit
	}
	if u.Status == chunking.TimeLimit {
		u.err = context.DeadlineExceeded
	}
	return u
}

// isDone tells whether an error is that of a context which is done.
func isDone(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// asked tells what has asked a run to end whose context is done: its limit of time, or whoever
// called it.
func askedStatus(ctx context.Context) chunking.Status {
	if cause := context.Cause(ctx); errors.Is(cause, errTimeLimit) {
		return chunking.TimeLimit
	}
	return chunking.Interrupted
}
