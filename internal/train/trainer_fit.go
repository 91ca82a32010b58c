package train

import (
	"context"
	"time"

	"bigmkl/gradient"
)

// Fit trains on the rows that were added, beside the rows of the fits before, and makes the
// snapshot. When ctx is done it finishes the operation in progress, and the snapshot is the model
// as it then is, with status Interrupted. Before the first iteration, and where the grace has
// passed, it returns an Unfinished and the snapshot stays. The trainer continues with the next Fit
// in any case.
//
// The model is a function of the batches, of where fits were made between them, and of the options:
// threads, memory and disk change no bit of it, and neither does saving the trainer in between.
func (t *Trainer) Fit(ctx context.Context) (*Result, error) {
	t.fitting.Lock()
	defer t.fitting.Unlock()
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	began := time.Now()
	hard, stop := t.options.Limits.Cut(ctx, began)
	defer stop()
	ctx, cancel := t.options.Limits.within(ctx, began)
	defer cancel()
	// Rows that are forgotten cost kernel values before there is a run that could count them.
	var used gradient.Stats
	if err := t.takeRows(ctx, &used); err != nil {
		return nil, Ended(ctx, err, "the rows were put together")
	}
	r := newRun(t.workspace, hard, began)
	m, status, err := t.train(ctx, r)
	r.result.conclude(m, status, r.Options.Solver.Gap)
	if err := r.describeEnd(ctx, t.workspace.Check(err)); err != nil {
		// Gradients that a cut has left incomplete are computed again from alpha.
		t.drop()
		return r.result, err
	}
	r.result.Train = time.Since(r.start)
	r.result.Gradient = used.And(r.result.Gradient)
	// The model is whole by now, and nothing changes it any more: whoever asks for a snapshot gets
	// either this one or the one before.
	t.describe(m)
	t.snapshot.Store(m)
	return r.result, nil
}
