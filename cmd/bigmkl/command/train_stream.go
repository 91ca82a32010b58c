package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/cmd/bigmkl/contract"
	"bigmkl/dataset"
	"bigmkl/internal/evaluate/score"
	"bigmkl/internal/fail"
)

// streamRun is a training on rows that keep coming: what it writes to, and the models so far.
type streamRun struct {
	*trainRun
	// to has the names of the result files, which each model replaces.
	flags *streamFlags
	to    resultFlags
	// saver writes the state of the trainer to the folder of --checkpoint at its interval.
	saver *trainerSaver
	// models counts the models that were written, and last has the rows of the last one.
	models, last int
	// stopped counts the models that did not reach their gap.
	stopped int
	// drift compares predictions of each new batch with its labels, nil without --drift.
	drift *drift
}

// trainStream trains on batches of the rows until they end, and writes a model after each of them.
func (r *trainRun) trainStream(ctx context.Context, s *streamFlags, to resultFlags) error {
	t := &streamRun{trainRun: r, flags: s, to: to, saver: newTrainerSaver(r.options)}
	if s.drift {
		t.drift = &drift{predict: bigmkl.PredictOptions{Threads: r.options.Threads}}
		defer t.drift.close()
	}
	// --limit counts the rows of all batches together.
	rows := dataset.Limit(r.rows, r.options.Limit)
	tr, err := s.trainer(ctx, *r.options)
	if err != nil {
		return err
	}
	defer tr.Close()
	// A batch begins only once its first row is read, because the data may end exactly at the
	// end of a batch.
	for {
		first, err := rows.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			var ahead *score.Score
			// With --drift, the previous model and the trainer get each row at the same time, because a
			// stream can be read once.
			ahead, err = t.drift.read(ctx, &batch{Source: rows, first: &first, left: s.every}, func(src dataset.Source) error {
				return tr.Add(ctx, src)
			})
			if err == nil {
				err = t.trainBatch(ctx, tr, ahead)
			}
		}
		if err != nil {
			r.progress.finish()
			// The state before the failed batch is saved, so a later run continues from there.
			t.report.warn(t.saver.save(ctx, tr, t.models, true))
			return t.endOf(ctx, err)
		}
	}
	r.progress.finish()
	// An empty input leaves no model, and an older file of that name stays.
	if t.models == 0 {
		return fail.New(fail.Input, "no rows")
	}
	// A warning after the last model goes to standard error alone, because the JSON object of
	// that model is already written.
	t.report.warn(t.saver.save(ctx, tr, t.models, true))
	if t.stopped > 0 {
		return &exitError{contract.ExitStopped, fmt.Sprintf(
			"%d of %d models were written with a larger gap than was asked for", t.stopped, t.models)}
	}
	return nil
}

// trainBatch trains on the rows that were added and writes the model. ahead is the score of the model before on these
// rows, or nil. The new model replaces the file of the previous one at once: readers always find a
// complete model.
func (t *streamRun) trainBatch(ctx context.Context, tr *bigmkl.Trainer, ahead *score.Score) error {
	// Fit starts from the dual variables of the previous model and continues until the gap of all rows is
	// reached.
	r, err := tr.Fit(ctx)
	t.progress.finish()
	if err != nil {
		t.report.warnOf(r)
		return err
	}
	// The snapshot is a model of its own. Later batches do not change it.
	m, err := tr.Snapshot()
	if err != nil {
		return err
	}
	// With --drift the model stays open: it predicts the next batch before the training sees
	// these rows.
	if t.drift == nil {
		defer m.Close() // The trainer continues from its own rows.
	}
	moved := t.drift.follow(m, ahead)
	// The grace period counts from now: each model has the same time to be written.
	if err := t.write.model(ctx, m, t.to.model, time.Now()); err != nil {
		return err
	}
	if err := t.write.weights(m, t.to.theta); err != nil {
		return err
	}
	t.models, t.last = t.models+1, m.Points
	if r.Status != chunking.Converged {
		t.stopped++
	}
	// The test rows stay the same for all models, so their figures form a curve.
	s, err := t.test.evaluate(ctx, m)
	if err != nil {
		return afterModel(err, t.to.model)
	}
	if r.Status != chunking.Interrupted { // The end saves.
		if w := t.saver.save(ctx, tr, t.models, false); w != "" {
			r.Warnings = append(r.Warnings, w)
		}
	}
	// Without --stream (a run with --continue) there is one model, which has the report of an ordinary
	// training.
	x := trained{m, r, s}
	if t.flags.stream {
		err = t.report.showBatch(x, moved)
	} else {
		err = t.report.show(x)
	}
	if err != nil {
		return err
	}
	// The model is written, although its gap is not reached. The cause separates a signal from a time
	// limit.
	if r.Status == chunking.Interrupted {
		return context.Cause(ctx)
	}
	return nil
}

// showBatch prints a line about a model of a stream, or with --json its object. moved may be nil.
func (t *trainReport) showBatch(x trained, moved *driftReport) error {
	a, err := t.account(x, "")
	if err != nil {
		return err
	}
	if t.json {
		j := newTrainJSON(a, t.start)
		j.Drift = newDriftJSON(moved)
		return t.printJSON("train", j)
	}
	m, r := a.model, a.result
	// A stream prints one line for each model, because it may run for days.
	worst, _ := m.Convergence().Worst()
	rows := fmt.Sprintf("%d rows", m.Points)
	if m.Stream != nil && m.Stream.Seen > m.Points {
		rows = fmt.Sprintf("the last %d of %d rows", m.Points, m.Stream.Seen)
	}
	text := fmt.Sprintf("%s: %s, %s after %s at a gap of %.3g, %s, %s", t.model,
		rows, strings.ReplaceAll(string(r.Status), "_", " "), count(r.Iterations, "iteration"), worst.RelativeGap,
		count(len(m.Support), "support vector"), formatFine(r.Train))
	if a.test != nil {
		text += fmt.Sprintf("; %s: %s", t.test, a.test)
	}
	if moved != nil {
		text += moved.String()
	}
	return t.print("%s\n", text)
}

// endOf returns the error with which a stream ends. It names the last model, which is complete
// and stays.
// A time limit and an interrupt are expected ends, with exit codes of their own. Other errors are faults of
// the data or of the computer.
func (t *streamRun) endOf(ctx context.Context, err error) error {
	done := "before there was a model"
	if t.models > 0 {
		done = fmt.Sprintf("after %s, the last of %d rows, which is written", count(t.models, "model"), t.last)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return &exitError{contract.ExitStopped, "the time limit was reached " + done}
	case ctx.Err() != nil:
		return &exitError{contract.ExitInterrupted, "interrupted " + done}
	}
	return nameFiles(err, t.files)
}
