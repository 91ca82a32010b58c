package command

import (
	"context"
	"errors"
	"io"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// fittingSource ends with an error in place of io.EOF if the rows of the test file have features
// that the training rows do not have, because the model could not predict them. The test file was read
// first, so its widest row is known. The error comes at the end of the training rows, when their number
// of features is known, and before the training has cost any time.
type fittingSource struct {
	source
	// far is the largest feature of the test file, with its place.
	far furthest
	// features is the number of features of the model, as far as the rows are read.
	features int
	// limit is the number of rows that are used, or 0 for all.
	limit, rows int
}

// newFittingSource returns a source that compares the training rows with the rows of the test. A view
// that ends at a feature declares this feature, even if no row has it.
func newFittingSource(s source, far furthest, o *bigmkl.Options) source {
	f := &fittingSource{source: s, far: far, limit: o.Limit}
	for _, v := range o.Views {
		f.features = max(f.features, v.Last)
	}
	return f
}

// Next returns the next row. The check is made once, at the last row. A limit ends the rows before the
// file does.
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

// Points returns the points of the source, which have the number of features.
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

// check returns an error if the rows of the test file have features beyond the features of the
// training.
func (f *fittingSource) check(features int) error {
	if f.far.features > features {
		return fail.New(fail.Input, "feature %d, but the training rows have only %d features",
			f.far.features, features).At(f.far.file, f.far.line, 0).
			WithHint("a view of --views that ends at feature %d declares it, and --ignore-extra-features "+
				"takes such features as 0", f.far.features)
	}
	return nil
}
