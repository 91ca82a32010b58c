package train

import (
	"cmp"
	"context"
	"errors"

	"bigmkl/dataset"
	"bigmkl/internal/budget"
	"bigmkl/internal/fail"
)

// mostPlanned is the number of folds whose trainings are planned. Where there are more, each is a small part of the rows and their
// trainings are alike.
const mostPlanned = 16

// Raise raises the budgets of a plan of the training on all rows to the budgets of the training that needs most. A
// training without a fold can need more: fewer rows can have a larger working set, or be stored in another way.
func (f *Folds) Raise(ctx context.Context, all *budget.Plan) error {
	for k := range min(f.count, mostPlanned) {
		t := f.fold(k)
		if !t.trainable() {
			continue
		}
		rest, err := f.rows.Part(t.held, false, &dataset.Known{})
		if err != nil {
			return err
		}
		if err := all.Raise(Plan(ctx, rest, f.optionsOf(t))); err != nil {
			return err
		}
	}
	return nil
}

// Rejected returns the error of a training that its budgets do not allow, or another error as it is. all plans the training on all rows.
// The budgets that the error names as enough are enough for all trainings. folds may be nil. If ctx ends the plans, the run is
// Unfinished: the budgets of err may be too small for the other trainings.
func Rejected(ctx context.Context, err error, all func() (*budget.Plan, error), folds *Folds) error {
	if !errors.Is(err, fail.Budget) {
		return err
	}
	p := &budget.Plan{}
	fault := p.Raise(all())
	if fault == nil && folds != nil {
		fault = folds.Raise(ctx, p)
	}
	if isDone(fault) {
		return Ended(ctx, fault, "the budgets of all trainings were counted")
	}
	if fault != nil {
		return err
	}
	return cmp.Or(p.Memory.Reject("memory"), p.Disk.Reject("disk"), err)
}
