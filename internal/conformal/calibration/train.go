package calibration

import (
	"context"
	"errors"
	"time"

	"bigmkl"
	"bigmkl/chunking"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/dataset/parts"
	"bigmkl/internal/fail"
	"bigmkl/internal/train"
)

// kept are the rows of a training with calibration scores, and its options.
type kept struct {
	*parts.Rows
	options bigmkl.Options
	how     Options
	began   time.Time
}

// keep reads a source to its end. Its rows count in the budgets of the training.
func keep(ctx context.Context, src dataset.Source, o bigmkl.Options, c Options) (*kept, error) {
	if err := c.Validate(&o); err != nil {
		return nil, err
	}
	c.setDefaults()
	began := time.Now()
	r, err := parts.Read(ctx, src, o.Scratch, o.Limit)
	if err != nil {
		return nil, train.Ended(ctx, err, "the data were read")
	}
	if err := holdout.CheckGroups(o.FoldGroups, r.Len()); err != nil {
		r.Close()
		return nil, err
	}
	// With folds the models of other trainings predict. They are of fewer rows, so a budget for this model is one for them.
	o.Kept.Memory, o.Kept.Disk, o.Kept.Predicted = r.Bytes(), r.Size(), true
	if o.MaxTime > 0 { // Reading is a part of the run, and what is left may be too little for it.
		o.MaxTime, began = max(o.MaxTime-time.Since(began), 1), time.Now()
	}
	return &kept{r, o, c, began}, nil
}

// heldOut marks the rows that are held out of the training of the model, nil for none.
func (k *kept) heldOut() []bool {
	if k.how.Share == 0 {
		return nil
	}
	return holdout.Mark(k.Len(), k.how.Share, k.options.Seed)
}

// folds returns the trainings without each fold, nil if there are none.
func (k *kept) folds() (*train.Folds, error) {
	if k.how.Folds == 0 {
		return nil, nil
	}
	o := k.options
	o.Recorder, o.Folds, o.SharedPreparation = nil, 0, false
	cut, err := o.Parts()
	if err != nil {
		return nil, err
	}
	return train.NewFolds(k.Rows, cut, k.how.Folds, k.began), nil
}

// planModel plans the training of the model.
func (k *kept) planModel(ctx context.Context) (*bigmkl.Plan, error) {
	rest, err := k.Part(k.heldOut(), false, &dataset.Known{})
	if err != nil {
		return nil, err
	}
	return bigmkl.NewPlan(ctx, rest, k.options)
}

// rejected returns the error of a training that its budgets do not allow with the budgets that are enough for all trainings, or another
// error as it is.
func (k *kept) rejected(ctx context.Context, err error) error {
	folds, fault := k.folds()
	if fault != nil {
		return err
	}
	return train.Rejected(ctx, err, func() (*bigmkl.Plan, error) { return k.planModel(ctx) }, folds)
}

// Plan computes what the training of the model would take, with the rows that are kept meanwhile. Its budgets are enough for the trainings
// without a fold as well.
func Plan(ctx context.Context, src dataset.Source, o bigmkl.Options, c Options) (*bigmkl.Plan, error) {
	k, err := keep(ctx, src, o, c)
	if err != nil {
		return nil, err
	}
	defer k.Close()
	p, err := k.planModel(ctx)
	if err != nil {
		return nil, k.rejected(ctx, err)
	}
	folds, err := k.folds()
	if err == nil && folds != nil {
		err = folds.Raise(ctx, p)
	}
	return p, err
}

// Train trains a model with calibration scores. It is as bigmkl.Train, which it calls for the model and, with folds, once more for each;
// what a fold warns of is not told. o.MaxTime is the time of all trainings together. Where the training or one of a fold is
// interrupted, or has no time left, the model has no scores and the result a warning and the status of that.
func Train(ctx context.Context, src dataset.Source, o bigmkl.Options, c Options) (*bigmkl.Model, *bigmkl.Result, error) {
	r, err := keep(ctx, src, o, c)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	o, c = r.options, r.how
	n := r.Len()
	if n < 3 {
		return nil, nil, fail.New(fail.Input, "%d rows, of which none can be held out", n)
	}
	if c.Share > 0 && o.Init != nil && o.Init.Conformal.Rows != n {
		return nil, nil, fail.New(fail.Usage, "an initial model that may know rows which are held out: it had %d rows, these are %d", o.Init.Conformal.Rows, n).
			WithHint("start from a model of the same rows")
	}
	if r.Bounded() {
		return nil, nil, fail.New(fail.Input, "survival curves from times with upper bounds: residuals between two bounds have no product-limit estimate").
			WithHint("leave --conformal out")
	}
	held, known := r.heldOut(), &dataset.Known{}
	rest, err := r.Part(held, false, known)
	if err != nil {
		return nil, nil, err
	}
	m, result, err := bigmkl.Train(ctx, rest, o)
	if err != nil {
		return nil, result, r.rejected(ctx, err)
	}
	s := &scores{rows: r.Rows, names: m.ClassNames(), classes: r.Classes(o.Positive), byClass: c.ByClass, options: &o}
	s.of = make([][]float64, max(1, len(s.names)))
	switch {
	case result.Status == chunking.Interrupted:
		err = train.ErrStopped
	case c.Share > 0:
		err = s.predict(ctx, m, held, known)
	default:
		var folds *train.Folds
		if folds, err = r.folds(); err == nil {
			err = s.train(ctx, folds)
		}
	}
	switch {
	case errors.Is(err, train.ErrStopped) || err != nil && ctx.Err() != nil:
		result.Warnings = append(result.Warnings, "the run was interrupted or had no time left: the model has no calibration scores")
		switch {
		case ctx.Err() != nil:
			result.Status = chunking.Interrupted
		case result.Status != chunking.Interrupted:
			result.Status = chunking.TimeLimit
		}
		s.residuals = nil
		if clear(s.of); c.Share == 0 {
			return m, result, nil
		}
		// Which rows had no part in the training has to be known all the same.
	case err != nil:
		m.Close()
		return nil, result, r.rejected(ctx, err)
	}
	m.Conformal = s.sorted(&c)
	if s.residuals != nil && m.Conformal.Scores == nil {
		m.Close()
		return nil, result, fail.New(fail.Input, "none of the %d rows that were held out has an event", len(s.residuals)).WithHint("--conformal folds:10 holds out every row")
	}
	return m, result, nil
}
