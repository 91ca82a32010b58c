package calibration

import (
	"context"
	"errors"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/train"
)

// Plan computes what the training of the model would take, with the rows that are kept meanwhile. Its budgets are enough for the trainings
// without a fold as well.
func Plan(ctx context.Context, src dataset.Source, o bigmkl.Options, c Options) (*bigmkl.Plan, error) {
	if err := c.Validate(&o); err != nil {
		return nil, err
	}
	r, err := readRows(ctx, src, &o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	c.setDefaults()
	return r.plan(ctx, o, &c)
}

// Train trains a model with calibration scores. It is as bigmkl.Train, which it calls for the model and, with folds, once more for each;
// what a fold warns of is not told. o.MaxTime is the time of all trainings together. Where the training or one of a fold is
// interrupted, or has no time left, the model has no scores and the result a warning and the status of that.
func Train(ctx context.Context, src dataset.Source, o bigmkl.Options, c Options) (*bigmkl.Model, *bigmkl.Result, error) {
	if err := c.Validate(&o); err != nil {
		return nil, nil, err
	}
	c.setDefaults()
	began := time.Now()
	r, err := readRows(ctx, src, &o)
	if err != nil {
		return nil, nil, train.Ended(ctx, err, "the data were read")
	}
	defer r.Close()
	n := len(r.labels)
	if n < 3 {
		return nil, nil, fail.New(fail.Input, "%d rows, of which none can be held out", n)
	}
	if c.Share > 0 && o.Init != nil && o.Init.Conformal.Rows != n {
		return nil, nil, fail.New(fail.Usage, "an initial model that may know rows which are held out: it had %d rows, these are %d", o.Init.Conformal.Rows, n).
			WithHint("start from a model of the same rows")
	}
	if o.MaxTime > 0 { // Reading is a part of the run, and what is left may be too little for it.
		o.MaxTime, began = max(o.MaxTime-time.Since(began), 1), time.Now()
	}
	held, known := r.heldOut(&c, o.Seed), &dataset.Known{}
	rest, err := r.part(held, false, known)
	if err != nil {
		return nil, nil, err
	}
	m, result, err := bigmkl.Train(ctx, rest, o)
	if err != nil {
		return nil, result, r.refused(ctx, err, o, &c)
	}
	s := &scores{rows: r, names: m.ClassNames(), classes: r.classesOf(o.Positive), byClass: c.ByClass, options: &o, began: began}
	s.of = make([][]float64, max(1, len(s.names)))
	switch {
	case result.Status == chunking.Interrupted:
		err = errStopped
	case c.Share > 0:
		err = s.predict(ctx, m, held, known)
	default:
		err = s.train(ctx, min(c.Folds, n))
	}
	switch {
	case errors.Is(err, errStopped) || err != nil && ctx.Err() != nil:
		result.Warnings = append(result.Warnings, "the run was interrupted or had no time left: the model has no calibration scores")
		switch {
		case ctx.Err() != nil:
			result.Status = chunking.Interrupted
		case result.Status != chunking.Interrupted:
			result.Status = chunking.TimeLimit
		}
		if clear(s.of); c.Share == 0 {
			return m, result, nil
		}
		// Which rows had no part in the training has to be known all the same.
	case err != nil:
		m.Close()
		return nil, result, r.refused(ctx, err, o, &c)
	}
	m.Conformal = s.sorted(&c)
	return m, result, nil
}
