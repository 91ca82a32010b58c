package command

import (
	"context"
	"time"

	"bigmkl"
	"bigmkl/dataset"
)

// openInputs reads every small input file, checks that all outputs can be written, and opens the
// data. A fault in any of these files is so found before the training. The order is from cheap to
// expensive: outputs, small files, the model to start from, the data, the test file.
func (t *trainFlags) openInputs(ctx context.Context, at *opener, from *console) (source, *testRows, error) {
	for _, out := range append(t.results.files(), t.folds.posteriors) {
		if err := checkOutput(out, t.files()...); err != nil {
			return nil, nil, err
		}
	}
	// Small files have weights, gates and matrices of norms.
	if err := t.readFiles(ctx); err != nil {
		return nil, nil, err
	}
	o := &t.options
	var err error
	if o.FoldGroups, err = readNames(t.folds.groups, o.Limit); err != nil {
		return nil, nil, err
	}
	// Load keeps the model in memory, because its file may be the file that is written.
	if t.init != "" {
		m, err := bigmkl.Load(t.init)
		if err != nil {
			return nil, nil, err
		}
		o.Init = m
	}
	t.rows.read.Mixed = t.test.path != "" // The test may be a table, and the training data in another format.
	src, err := at.openWithScratch(ctx, o, t.rows.paths, t.rows.read)
	if err != nil {
		return nil, nil, err
	}
	test := newTestRows(at, from, t.test, t.rows, src.Columns(), o)
	// far is the largest feature of the test rows, without faults in the first test rows.
	far, err := test.check(ctx)
	if err != nil {
		src.Close()
		return nil, nil, err
	}
	// Sequences may be longer than all training sequences, and narrow takes further features as 0.
	if o.Sequences != dataset.Numbers || t.test.narrow {
		return src, test, nil
	}
	return newFittingSource(src, far, o), test, nil
}

// untilLimit returns a context for the reading of rows that ends at the time limit of a run that began at the
// given time. The reading then does not wait beyond it for rows of a pipe. The limit of the training
// itself is in its options.
func untilLimit(ctx context.Context, limit time.Duration, began time.Time) (context.Context, context.CancelFunc) {
	// Without a limit there is nothing to cancel.
	if limit == 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, began.Add(limit))
}
