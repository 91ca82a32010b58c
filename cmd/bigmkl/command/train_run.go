package command

import (
	"context"
	"errors"
	"time"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/train"
)

// trainRun is a training whose inputs are open. It has the options and the rows, and the writer,
// the test and the report of its models. One model, a path and a stream share it, since they differ
// only in how they train.
type trainRun struct {
	options *bigmkl.Options
	rows    dataset.Source
	// files are the files of the rows, which errors name.
	files    []string
	progress *progress
	write    modelWriter
	// test is nil without --test.
	test   *testRows
	report trainReport
}

// trainOne trains one model, writes it and reports on it. The run began at the given time. The model is
// written before the test and the report, which may fail or be interrupted.
func (r *trainRun) trainOne(ctx context.Context, began time.Time, folds foldFlags, to resultFlags) error {
	m, result, err := folds.conformal.train(ctx, r.rows, *r.options)
	r.progress.finish()
	if err != nil {
		// Warnings may explain the error, so they are printed before it.
		r.report.warnOf(result)
		adviseCheckpoint(err, r.options.Checkpoint == "" && r.options.Folds == 0 && !folds.conformal.asked)
		return nameFiles(err, r.files)
	}
	defer m.Close()
	if err := r.write.model(ctx, m, to.model, began); err != nil {
		return err
	}
	if err := r.write.weights(m, to.theta); err != nil {
		return err
	}
	// The probabilities of held-out rows are written with --posteriors-out alone.
	if err := folds.save(r.write.cleanup, result); err != nil {
		return err
	}
	s, err := r.test.evaluate(ctx, m)
	if err != nil {
		return afterModel(err, to.model)
	}
	x := trained{m, result, s}
	if err := r.report.show(x); err != nil {
		return err
	}
	// The error is returned last, because everything has been written by then.
	return x.exitError(ctx, r.test != nil)
}

// adviseCheckpoint has the error of a training that was cut name --checkpoint. possible is set if the run has none
// and could have one.
// Trainings of several models have no checkpoint, so the advice would be wrong for them.
func adviseCheckpoint(err error, possible bool) {
	var u *bigmkl.Unfinished
	if errors.As(err, &u) && u.While == train.InProgress && possible {
		u.Advice = "--checkpoint DIR keeps the state of a training that is cut, and --resume continues there"
	}
}
