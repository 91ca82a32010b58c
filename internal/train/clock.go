package train

import (
	"context"
	"errors"
	"time"

	"bigmkl/chunking"
)

// runClock has the times that limits of a run count from, and what the run does at the moment.
type runClock struct {
	limit time.Duration // 0 for none
	// began is the start of the run or, on a path, of its present problem. Limits of time count
	// from here.
	began time.Time
	// start is the end of the reading. Event.Elapsed and Result.Train count from here.
	start time.Time
	// hard ends the work that must not end when the run is asked to: see Limits.Cut.
	hard context.Context
	// while names the operation in progress, for the message of an Unfinished.
	while string
	// kept is set if the latest attempt to write a checkpoint succeeded.
	kept bool
}

// setOperation records what the run does from here on. The text completes "interrupted while ..".
func (c *runClock) setOperation(what string) { c.while = what }

// describeEnd turns the error of a context into an Unfinished with the operation in progress, and
// whether a checkpoint holds the state. Other errors stay as they are.
func (c *runClock) describeEnd(ctx context.Context, err error) error {
	err = Ended(ctx, err, c.while)
	var u *Unfinished
	if errors.As(err, &u) {
		u.Kept = c.kept
	}
	return err
}

// stopFunc returns a function that is called between iterations and returns whether a training has
// to end. classifiers is the number of classifiers that are still to be trained. This one has an
// equal share of the time that is left.
func (c *runClock) stopFunc(ctx context.Context, classifiers int) func() chunking.Status {
	limit, now := c.limit, time.Now()
	end := now.Add((limit - now.Sub(c.began)) / time.Duration(classifiers))
	return func() chunking.Status {
		switch {
		case ctx.Err() != nil:
			return askedStatus(ctx)
		case limit > 0 && !time.Now().Before(end):
			return chunking.TimeLimit
		}
		return ""
	}
}
