package formats

import (
	"context"
	"io"
	"reflect"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/packed"
	"bigmkl/internal/fail"
)

// packedStore is the format of packed stores.
var packedStore = format{is: "a packed store", endings: []string{".pack"}, magic: []string{packed.Magic}, alone: true,
	open: openPacked}

// openPacked opens a packed store.
func openPacked(_ context.Context, paths []string, _ io.Reader, o Options,
	text dataset.ReadOptions) (*source, error) {
	path := paths[0]
	if err := o.checkIndicator(path); err != nil {
		return nil, err
	}
	p, err := packed.Open(path, packed.Options{Labels: o.Labels, Sequences: o.Sequences,
		Trained: o.Trained})
	if err != nil {
		return nil, err
	}
	s := &source{Source: p, Closer: p, views: p.Views(), columns: p.Columns()}
	if o.Trained {
		err = s.checkPacked(path, o)
	}
	// Labels and weights of their own make other rows, whose points are not those in the file.
	if err == nil && len(text.Files()) > 0 {
		var r *dataset.Reader
		if r, err = dataset.Join(p, path, text); err == nil {
			s.Source, s.Closer = r, r
		}
	}
	if err != nil {
		p.Close()
		return nil, err
	}
	return s, nil
}

// checkPacked checks that a packed store has the columns and the views of the model that takes its
// rows. They cannot be put in another order, because its features have no names of their own.
func (s *source) checkPacked(path string, o Options) error {
	const hint = "bigmkl convert the data in the order of the training data"
	have, want := s.columns, o.Columns
	if have != nil && want != nil && !reflect.DeepEqual(have.Features, want.Features) {
		return fail.New(fail.Input, "the columns are not those of the model, or in another order").
			At(path, 0, 0).WithHint(hint)
	}
	words := func(c dataset.Column) bool { return c.Categories != nil || c.Missing }
	if have != nil && want == nil && slices.ContainsFunc(have.Features, words) {
		return fail.New(fail.Input, "the data have columns of words or of missing values, and the model was trained on "+
			"numbers alone").At(path, 0, 0)
	}
	if have == nil && s.views != nil && !slices.Equal(s.views, o.Views) {
		return fail.New(fail.Input, "the views are not those of the model, or in another order").
			At(path, 0, 0).WithHint(hint)
	}
	return nil
}

// Points implements dataset.PointSource.
func (s *source) Points(ctx context.Context) (*dataset.Points, error) {
	if p, ok := s.Source.(dataset.PointSource); ok {
		return p.Points(ctx)
	}
	return nil, nil
}

// Width implements dataset.PointSource.
func (s *source) Width(rows int) int {
	if p, ok := s.Source.(dataset.PointSource); ok {
		return p.Width(rows)
	}
	return 0
}
