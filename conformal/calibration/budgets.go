package calibration

import (
	"cmp"
	"context"
	"errors"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// mostPlanned is the number of folds whose trainings are planned. Where there are more, each is a small part of the rows and their
// trainings are alike.
const mostPlanned = 16

// plan computes what the trainings take: the one of the model, and with folds those without each. It returns the plan of the model with
// the budgets of the training that needs most. A training without a fold can need more than the model's: fewer rows can have a larger
// working set, or be stored in another way.
func (r *rows) plan(ctx context.Context, o bigmkl.Options, c *Options) (*bigmkl.Plan, error) {
	all, err := r.planWithout(ctx, r.heldOut(c, o.Seed), o)
	if err != nil || c.Folds == 0 {
		return all, err
	}
	folds := min(c.Folds, len(r.labels))
	of := r.deal(folds, o.Seed)
	o = optionsOfFold(o)
	for k := range min(folds, mostPlanned) {
		p, err := r.planWithout(ctx, foldOf(of, k), o)
		if errors.Is(err, fail.Input) || errors.Is(err, fail.Usage) { // There is no training where all other rows are of one class.
			continue
		}
		if err != nil {
			return nil, err
		}
		if p.Memory.Least > all.Memory.Least {
			all.Memory = p.Memory
		}
		if p.Disk.Least > all.Disk.Least {
			all.Disk = p.Disk
		}
	}
	return all, nil
}

// planWithout plans the training without a part of the rows.
func (r *rows) planWithout(ctx context.Context, held []bool, o bigmkl.Options) (*bigmkl.Plan, error) {
	rest, err := r.part(held, false, &dataset.Known{})
	if err != nil {
		return nil, err
	}
	return bigmkl.NewPlan(ctx, rest, o)
}

// refused returns the error of a training that its budgets do not allow, or another error as it is. The budgets that the error names as
// enough are enough for all trainings.
func (r *rows) refused(ctx context.Context, err error, o bigmkl.Options, c *Options) error {
	if !errors.Is(err, fail.Budget) {
		return err
	}
	p, fault := r.plan(ctx, o, c)
	if fault != nil {
		return err
	}
	return cmp.Or(p.Memory.Refuse("memory"), p.Disk.Refuse("disk"), err)
}

// optionsOfFold returns the options of a training without a fold: those of the model's, without what belongs to that alone.
func optionsOfFold(o bigmkl.Options) bigmkl.Options {
	o.Checkpoint, o.Resume, o.Init, o.Folds, o.Limit, o.Recorder = "", false, nil, 0, 0, nil
	return o
}

// foldOf marks the rows of fold k.
func foldOf(of []int32, k int) []bool {
	held := make([]bool, len(of))
	for i, f := range of {
		held[i] = int(f) == k
	}
	return held
}
