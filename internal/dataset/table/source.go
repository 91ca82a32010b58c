package table

import (
	"context"
	"io"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// Source yields the rows of tables. It is a dataset.Source.
type Source struct {
	*encoder
	err error // err is the error of the last Next. Once it is set, it stays.
}

var _ interface {
	dataset.Source
	io.Closer
} = (*Source)(nil)

// Open opens files that are read as if they were one table; all of them have a header, or none has.
// It reads the first rows, and where there are categories all of them, until ctx is done.
func Open(ctx context.Context, paths []string, o Options) (*Source, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	// A file can be read for its categories and then again for its rows, and a pipe cannot.
	once := false
	for _, path := range paths {
		info, err := files.Stat(path)
		if path != "-" && err != nil {
			return nil, files.InputFault("cannot open", path, err)
		}
		once = once || path == "-" || !info.Mode().IsRegular()
	}
	if once {
		if len(paths) > 1 {
			return nil, fail.New(fail.Usage, "a pipe among several tables").
				WithHint("join them into one pipe without their headers")
		}
		stream, err := dataset.OpenStream(paths[0], o.Trusted)
		if err != nil {
			return nil, err
		}
		s, err := FromStream(stream, o)
		if err != nil {
			stream.Close()
		}
		return s, err
	}
	t := &tables{options: o, paths: paths}
	if err := t.look(ctx); err != nil {
		return nil, err
	}
	return newSource(t), nil
}

// FromStream reads one stream, such as standard input, which the source then closes. Its first rows
// are kept in memory until they have been returned.
func FromStream(stream *dataset.Stream, o Options) (*Source, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	t := &tables{options: o}
	r, err := newRecords(stream, o.Separator)
	if err != nil {
		return nil, err
	}
	// A stream cannot be read twice. What the sample takes of it is kept as text and read again.
	kept := &strings.Builder{}
	from := r.guard.from
	r.guard.from = io.TeeReader(from, kept)
	if err := t.sample(r); err != nil {
		return nil, err
	}
	t.records = r.again(io.MultiReader(strings.NewReader(kept.String()), from))
	return newSource(t), nil
}

// newSource returns the rows of tables whose columns are known.
func newSource(t *tables) *Source {
	return &Source{encoder: &encoder{tables: t, labeler: dataset.NewLabeler(t.options.Labels)}}
}

// Columns returns what the columns are. It returns nil if they have no names, categories, sequences or features of
// missing values: the rows are then like the rows of every other format, and so is the model of them.
func (s *Source) Columns() *dataset.Columns {
	several := func(c dataset.Column) bool { return !c.Plain() }
	if !s.header && s.options.Columns == nil && !slices.ContainsFunc(s.columns.Features, several) {
		return nil
	}
	return s.columns
}

// Unknown returns how many words so far were none of the categories of a model, and the first different ones of them,
// quoted with their columns.
func (s *Source) Unknown() (n int, first []string) { return s.unknown.n, s.unknown.first }

// Next returns the next row, or io.EOF after the last one.
func (s *Source) Next() (dataset.Row, error) {
	if s.err != nil {
		return dataset.Row{}, s.err
	}
	var row dataset.Row
	if s.err = s.read(&row); s.err != nil {
		return dataset.Row{}, s.err
	}
	return row, nil
}

// read sets row to the next row, of this file or a later one.
func (s *Source) read(row *dataset.Row) error {
	for {
		record, err := s.next()
		if err != nil {
			return err
		}
		if record != nil {
			return s.encode(record, row)
		}
	}
}

// Close closes the file that is being read.
func (s *Source) Close() error {
	if s.err == nil {
		s.err = io.EOF
	}
	return s.tables.close()
}
