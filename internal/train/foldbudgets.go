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
		p, err := Plan(ctx, rest, f.optionsOf(t))
		if err != nil {
			return err
		}
		if p.Memory.Least > all.Memory.Least {
			all.Memory = p.Memory
		}
		if p.Disk.Least > all.Disk.Least {
			all.Disk = p.Disk
		}
	}
	return nil
}

// Rejected returns the error of a training that its budgets do not allow, or another error as it is. all plans the training on all rows.
// The budgets that the error names as enough are enough for all trainings. folds may be nil.
func Rejected(ctx context.Context, err error, all func() (*budget.Plan, error), folds *Folds) error {
	if !errors.Is(err, fail.Budget) {
		return err
	}
	p, fault := all()
	if fault == nil && folds != nil {
		fault = folds.Raise(ctx, p)
	}
	if fault != nil {
		return err
	}
	return cmp.Or(p.Memory.Reject("memory"), p.Disk.Reject("disk"), err)
}
