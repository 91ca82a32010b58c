package command

import (
	"context"
	"errors"
	"io"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// checkedRows is the number of rows of a test file that are read before the training. They find
// nearly every file that does not fit, and take a second.
const checkedRows = 100_000

// furthest is the row of the test file with the largest feature.
type furthest struct {
	features int
	file     string
	line     int
}

// checkTest reads the first rows of the test file, so that a fault in them is found before the
// training, and returns the furthest of them. A pipe can be read once alone and is left for the test.
func (t *trainCommand) checkTest(ctx context.Context) (far furthest, err error) {
	info, err := files.Stat(t.test)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return far, nil
	}
	src, err := t.openTest(ctx)
	if err != nil {
		return far, err
	}
	defer src.Close()
	for range checkedRows {
		r, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return far, err
		}
		if n := len(r.Index); n > 0 && int(r.Index[n-1]) >= far.features {
			far = furthest{int(r.Index[n-1]) + 1, r.File, r.Line}
		}
	}
	return far, nil
}

// fittingSource ends with an error in place of io.EOF if the rows of the test file have features
// that the training rows do not have, because the model could not predict them.
type fittingSource struct {
	source
	far furthest
	// features is the number of features of the model, as far as the rows are read.
	features int
	// limit is the number of rows that are used, or 0 for all.
	limit, rows int
}

// newFittingSource returns a source that compares the training rows with those of the test.
func (t *trainCommand) newFittingSource(s source, far furthest) source {
	f := &fittingSource{source: s, far: far, limit: t.options.Limit}
	for _, v := range t.options.Views {
		f.features = max(f.features, v.Last)
	}
	return f
}

// Next returns the next row.
func (f *fittingSource) Next() (dataset.Row, error) {
	r, err := f.source.Next()
	if err == nil {
		f.rows++
		if n := len(r.Index); n > 0 {
			f.features = max(f.features, int(r.Index[n-1])+1)
		}
	}
	last := errors.Is(err, io.EOF) || err == nil && f.rows == f.limit
	if last && f.rows > 0 {
		if fault := f.check(f.features); fault != nil {
			return r, fault
		}
	}
	return r, err
}

// Points returns the points of the source, which say how many features there are.
func (f *fittingSource) Points(ctx context.Context) (*dataset.Points, error) {
	p, err := f.source.Points(ctx)
	if p == nil || err != nil {
		return nil, err
	}
	if err := f.check(max(f.features, p.Features)); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// check returns an error if the rows of the test file have features beyond those of the training.
func (f *fittingSource) check(features int) error {
	if f.far.features > features {
		return fail.New(fail.Input, "feature %d, but the training rows have only %d features",
			f.far.features, features).At(f.far.file, f.far.line, 0).
			WithHint("a view of --views that ends at feature %d declares it, and --ignore-extra-features "+
				"takes such features as 0", f.far.features)
	}
	return nil
}
