package table

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// Source yields the rows of tables. It is a dataset.Source.
type Source struct {
	options Options
	columns *dataset.Columns
	labeler *dataset.Labeler
	header  bool
	paths   []string // paths lists the files that are still to be opened.
	records *records // records is nil between files.
	plan    *plan    // plan is nil before the first record of a file.
	later   bool     // later is set once the first file has ended.
	unknown unknownWords
	index   []int32
	value   []float64
	letters []int32 // letters and codes hold one sequence.
	codes   []float64
	err     error // err is the error of the last Next. Once it is set, it stays.
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
	s := &Source{options: o, paths: paths, labeler: dataset.NewLabeler(o.Labels)}
	if err := s.look(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// FromStream reads one stream, such as standard input, which the source then closes. Its first rows
// are kept in memory until they have been returned.
func FromStream(stream *dataset.Stream, o Options) (*Source, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := &Source{options: o, labeler: dataset.NewLabeler(o.Labels)}
	r, err := newRecords(stream, o.Separator)
	if err != nil {
		return nil, err
	}
	// A stream cannot be read twice. What the sample takes of it is kept as text and read again.
	kept := &strings.Builder{}
	from := r.guard.from
	r.guard.from = io.TeeReader(from, kept)
	if err := s.sample(r); err != nil {
		return nil, err
	}
	s.records = r.again(io.MultiReader(strings.NewReader(kept.String()), from))
	return s, nil
}

// look takes the sample of the first file, and the categories of all files.
func (s *Source) look(ctx context.Context) error {
	r, err := s.openRecords(s.paths[0])
	if err != nil {
		return err
	}
	defer r.stream.Close()
	// A model has decided what the columns are, so a single pass is enough.
	if err := s.sample(r); err != nil || s.options.Columns != nil {
		return err
	}
	return s.collect(ctx)
}

// sample decides from the first rows whether there is a header and what the columns are.
func (s *Source) sample(r *records) error {
	t, err := takeSample(r, &s.options)
	if err != nil {
		return err
	}
	s.header, s.columns = t.header, s.options.Columns
	if s.columns == nil {
		if s.columns, err = t.infer(&s.options); err == nil {
			err = s.columns.Check()
		}
		if err == nil {
			err = s.checkWidth()
		}
		for i, column := range s.options.Categories {
			if k, e := t.find(&s.options, column); e == nil {
				s.options.Categories[i] = t.names[k]
			}
		}
		// From here on columns are known by their names.
		s.options.Label, s.options.Time, s.options.Event, s.options.Upper, s.options.Skip = "", "", "", "", nil
	}
	// The plan of the first file is made once for its faults, which are so found before any row.
	if err == nil {
		_, err = newPlan(s.columns, t.names, &s.options)
	}
	if e := (*fail.Error)(nil); errors.As(err, &e) && e.Class == fail.Input && e.File == "" {
		if len(s.paths) > 1 { // Another table may have the column.
			e = moreRows(e)
		}
		return e.At(r.stream.Name(), 1, 0)
	}
	return err
}

func (s *Source) openRecords(path string) (*records, error) {
	open := s.options.Open
	if open == nil {
		open = func(path string) (*dataset.Stream, error) {
			return dataset.OpenStream(path, s.options.Trusted)
		}
	}
	stream, err := open(path)
	if err != nil {
		return nil, err
	}
	r, err := newRecords(stream, s.options.Separator)
	if err != nil {
		stream.Close()
		return nil, err
	}
	return r, nil
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

// checkWidth returns an error if a model without columns has fewer features than a table that does
// not name the column of the labels.
func (s *Source) checkWidth() error {
	o := &s.options
	if !o.NumbersOnly || o.Features == 0 || s.header || s.columns.Label != "" ||
		s.columns.Width() <= o.Features {
		return nil
	}
	return fail.New(fail.Input, "%d columns without names, and the model has %d features",
		s.columns.Width(), o.Features).
		WithHint("--label COLUMN says which has the labels, and --id COLUMN,.. which are no features")
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
			return s.row(record, row)
		}
	}
}

// next returns the next record, or nil if it was a header or if a file has ended, or io.EOF after
// the last file.
func (s *Source) next() ([]string, error) {
	if s.records == nil {
		if len(s.paths) == 0 {
			return nil, io.EOF
		}
		r, err := s.openRecords(s.paths[0])
		if err != nil {
			return nil, err
		}
		s.records, s.paths = r, s.paths[1:]
	}
	record, err := s.records.next()
	if err == io.EOF {
		s.records.stream.Close()
		s.records, s.plan, s.later = nil, nil, true
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// The first record of every file states where in it the columns are.
	if s.plan == nil {
		s.plan, err = newPlan(s.columns, columnNames(record, s.header), &s.options)
		if e := (*fail.Error)(nil); errors.As(err, &e) {
			if s.later && s.header {
				e = moreRows(e)
			}
			return nil, e.At(s.records.stream.Name(), 1, 0)
		}
		if err != nil || s.header {
			return nil, err
		}
	}
	// A row of another length is cut wrongly more often than it is short of a value, and its values
	// would then lie in the wrong columns.
	if len(record) != s.plan.fields {
		return nil, s.records.fieldsFault(len(record), s.plan.fields)
	}
	return record, nil
}

// Close closes the file that is being read.
func (s *Source) Close() error {
	if s.err == nil {
		s.err = io.EOF
	}
	s.paths = nil
	if s.records == nil {
		return nil
	}
	err := s.records.stream.Close()
	s.records = nil
	return err
}
