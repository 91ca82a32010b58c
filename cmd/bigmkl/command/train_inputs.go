package command

import (
	"context"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/dataset/formats"
	"bigmkl/internal/fail"
)

// openInputs reads every small input file, checks that all outputs can be written, and opens the
// data. A fault in any of these files is so found before the training.
func (t *trainCommand) openInputs(ctx context.Context) (source, error) {
	for _, out := range []string{t.out, t.thetaOut, t.trace, t.posteriorsOut} {
		if err := checkOutput(out, t.inputFiles()...); err != nil {
			return nil, err
		}
	}
	if err := completeOptions(&t.options, &t.read, t.views); err != nil {
		return nil, err
	}
	if err := t.norm.readFiles(&t.options.Regularizer); err != nil {
		return nil, err
	}
	if err := t.posteriors.readFile(&t.options); err != nil {
		return nil, err
	}
	if err := t.components.readFile(&t.options); err != nil {
		return nil, err
	}
	// The options are validated again because files have completed them.
	if err := t.options.Validate(); err != nil {
		return nil, err
	}
	if t.init != "" {
		m, err := bigmkl.Load(t.init)
		if err != nil {
			return nil, err
		}
		t.options.Init = m
	}
	src, err := t.openWithScratch(ctx, &t.options, t.data, t.read)
	if err != nil {
		return nil, err
	}
	var far furthest
	t.columns = src.Columns()
	if t.test != "" {
		// What the test data must be like is known once the training data are open.
		if far, err = t.checkTest(ctx); err != nil {
			src.Close()
			return nil, err
		}
	}
	if t.options.Sequences != dataset.Numbers || t.narrow {
		return src, nil
	}
	return t.newFittingSource(src, far), nil
}

// inputFiles lists the files that no result may replace. The model to start from may be replaced,
// because it is in memory by then.
func (t *trainCommand) inputFiles() []string {
	return append(append(formats.Paths(t.data), t.test, t.gates.file, missingFile(t.options.Missing), t.views, t.norm.file(), t.norm.matrix,
		t.posteriors.file(), t.components.observe), t.read.Files()...)
}

// readingContext returns a context for the reading of rows that ends at the time limit, so that a
// run does not wait beyond it for rows of a pipe.
func (t *trainCommand) readingContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if t.options.MaxTime == 0 {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, t.began.Add(t.options.MaxTime))
}

// openTest opens the test file with the reading options of the training data.
func (t *trainCommand) openTest(ctx context.Context) (source, error) {
	if t.test == "-" {
		return nil, fail.New(fail.Usage, "--test needs a file, not standard input")
	}
	o := t.read
	o.Weights, o.LabelFile, o.Trained, o.Views = "", "", true, t.options.Views
	if o.Columns = t.columns; o.Columns != nil { // The columns are known by their names.
		o.Table.Label, o.Table.Time, o.Table.Event, o.Table.Skip, o.Table.Categories = "", "", "", nil, nil
	}
	return t.openData(ctx, []string{t.test}, o)
}
