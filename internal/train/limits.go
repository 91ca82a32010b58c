package train

import (
	"context"
	"errors"
	"sync"
	"time"
)

// How a run ends early. Its context or its time limit asks it to end. Before the first iteration it
// ends at once, because nothing is lost. Later the iteration in progress is finished, points that
// were left out are brought back, and there is a model. What takes longer than the grace is cut:
// that leaves a checkpoint from the middle of the iteration, and no model. Gradients that belong
// half to one alpha and half to another would otherwise make the model claim what nobody has
// computed.
//
// Two contexts follow from this. ctx asks the run to end, and is the context of everything before
// the first iteration. hard, which Limits.Cut returns, ends a grace later, and is the context of
// the iterations and of the model.

// lateShare sets the time that the operation in progress and the model have after the time limit:
// one part in so many of the limit, or the grace if that is more.
const lateShare = 10

// errTimeLimit is the cause of a context that the time limit of a run has ended. It distinguishes
// the limit from the deadline of a caller, which counts as an interrupt.
var errTimeLimit = errors.New("the limit of time")

// within returns a context that is also done when the time limit of a run that began at began has
// passed.
func (l Limits) within(ctx context.Context, began time.Time) (context.Context, context.CancelFunc) {
	if l.Time == 0 {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, began.Add(l.Time), errTimeLimit)
}

// Cut returns the context of everything that a run still does after it was asked to end, the
// writing of its model included. That context is done when Grace has passed since the end of ctx.
// At the time limit of a run that began at began, it is done a Grace later or, if that is more, a
// tenth of Time later. If Grace equals zero, it is never done. stop ends the goroutine that watches
// the time, and waits for it.
func (l Limits) Cut(ctx context.Context, began time.Time) (hard context.Context, stop func()) {
	// The end of ctx must not reach hard by itself.
	hard, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	if l.Grace == 0 {
		return hard, func() { cancel(nil) }
	}
	over := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		var late <-chan time.Time
		if l.Time > 0 {
			last := began.Add(l.Time + max(l.Grace, l.Time/lateShare))
			timer := time.NewTimer(time.Until(last))
			defer timer.Stop()
			late = timer.C
		}
		// First the end of ctx is waited for and then the grace; the time limit cuts either wait
		// short.
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
