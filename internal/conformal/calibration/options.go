package calibration

import (
	"errors"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// Options set how rows are held out. The zero value keeps a share of DefaultShare from the
// training.
type Options struct {
	// Folds is the number of folds, at least 2. It excludes Share.
	Folds int
	// Share is the share of the rows that are held out of the training, in (0, 1). If it and Folds equal zero, it is
	// DefaultShare.
	Share float64
	// ByClass gives each class scores of its own.
	ByClass bool
}

// DefaultShare is the share of a zero Options.
const DefaultShare = 0.2

// setDefaults fills in what was left open.
func (o *Options) setDefaults() {
	if o.Folds == 0 && o.Share == 0 {
		o.Share = DefaultShare
	}
}

// Validate lists every fault at once. Each is of class fail.Usage. training is the options of the training.
func (o Options) Validate(training *bigmkl.Options) error {
	var faults []error
	check := func(ok bool, hint, format string, args ...any) {
		if !ok {
			faults = append(faults, fail.New(fail.Usage, format, args...).WithHint("%s", hint))
		}
	}
	check(o.Folds == 0 || o.Share == 0, "use one of them", "folds and a share of rows that are held out")
	check(o.Folds == 0 || o.Folds >= 2, "", "%d folds: at least 2", o.Folds)
	check(o.Share == 0 || o.Share > 0 && o.Share < 1, "", "a share of %g of the rows is not in (0, 1)", o.Share)
	t := training
	classes := model.TwoClasses(t.Task)
	task := model.Variant(t.Task, t.Survival)
	times := model.PredictsLogarithm(task) // of residuals
	number := model.Labeling(t.Task) == dataset.Targets || times
	ranking := task != t.Task
	check(classes || number || ranking, "", "task %s has no intervals and no sets", t.Task)
	check(!ranking, "--survival regression", "a ranking of times has no residuals")
	check(t.Multiclass != model.MultiLabel, "", "sets of labels have no conformal sets")
	check(!o.ByClass || !number, "", "scores by class of a regression")
	check(t.FoldGroups == nil || o.Folds > 0, "--conformal folds:10", "a share of rows that are held out divides groups")
	file := t.RowFiles()
	check(file == "", "", "%s, and no rows can be held out", file)
	check(t.Observed == nil, "", "a list of observed components is one of all rows, and no rows can be held out")
	// The rows of such a model would have a part in the training through where it starts.
	check(t.Init == nil || o.Folds > 0 || o.sameRows(t), "start from a model of the same --conformal split and --seed", "an initial model that may know rows which are held out")
	check(t.Team == nil, "train in one process", "ranks train no model with calibration scores")
	return errors.Join(faults...)
}

// sameRows reports whether the initial model of a training had the same share held out by the same seed. That the rows are as many is seen once they
// were read.
func (o Options) sameRows(t *bigmkl.Options) bool {
	o.setDefaults()
	c := t.Init.Conformal
	return c.Split() && c.Share == o.Share && t.Init.Seed == t.Seed
}
