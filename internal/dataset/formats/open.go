package formats

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/columnar"
	"bigmkl/internal/dataset/table"
	"bigmkl/internal/fail"
)

// Options set how data are read.
type Options struct {
	dataset.ReadOptions
	// Format is one of Formats. If it is empty or auto, names and first bytes tell; libsvm, csv and tsv are for text where
	// they do not.
	Format string
	// Table sets how tables are read. Its fields from Columns on are set by Open.
	Table table.Options
	// Decoder starts the process that decodes files of columnar formats. If it is the zero value, they are
	// rejected.
	Decoder columnar.Decoder
	// ObjectFiles are the files of objects that rows name, NAME=FILE each. Whoever opens the data reads them, and enters
	// their names in Objects.
	ObjectFiles []string
	// Columns are the columns of the model if it was trained on a table.
	Columns *dataset.Columns
	// Unlabelled is set where rows of a table may be without a column of labels.
	Unlabelled bool
	// Trained is set where a model that has been trained takes the rows. Views are then the views
	// of the model, and Features is its number of features, or 0 if that is not known yet.
	Trained  bool
	Views    []dataset.View
	Features int
	// Mixed is set where other data are read with the same options. Options of tables may then have no effect on these.
	Mixed bool
	// Bare is the number of rows without labels and features that Open yields if it gets no path and no file of
	// labels: rows that precomputed matrices describe.
	Bare int
}

// Source yields the rows of data in any format.
type Source interface {
	dataset.PointSource
	io.Closer
	// Views returns the views that the data name themselves, or nil: arrays, or columns of a table
	// that have a prefix in common.
	Views() []dataset.View
	// Columns returns the columns of a table, or nil for other data.
	Columns() *dataset.Columns
	// Unknown returns how many words of a table so far were none of the categories of the model, and the first
	// different ones of them, quoted with their columns.
	Unknown() (n int, first []string)
}

// Formats lists the values of Options.Format.
var Formats = append([]string{"auto", libsvm, "csv", "tsv"}, keys()...)

// source is a Source with the views of the data.
type source struct {
	dataset.Source
	io.Closer
	views []dataset.View
	table *table.Source // table is nil for other data.
	// columns are the columns of a table that was packed.
	columns *dataset.Columns
}

// Views implements Source.
func (s *source) Views() []dataset.View { return s.views }

// Columns implements Source.
func (s *source) Columns() *dataset.Columns {
	if s.table == nil {
		return s.columns
	}
	return s.table.Columns()
}

// Unknown implements Source.
func (s *source) Unknown() (n int, first []string) {
	if s.table == nil {
		return 0, nil
	}
	return s.table.Unknown()
}

// Validate returns all faults of the options as one error of class fail.Usage.
func (o Options) Validate() error {
	var unknown error
	if o.Format != "" && !slices.Contains(Formats, o.Format) {
		unknown = fail.New(fail.Usage, "unknown format %s", fail.Quote(o.Format)).
			WithHint("%s", strings.Join(Formats, ", "))
	}
	return errors.Join(o.ReadOptions.Validate(), o.Table.Validate(), unknown)
}

// Open opens data. Several files of text are read as if they were one, and several arrays are views
// of the same rows. Arrays may be given as NAME=FILE, which names the view. The path "-" is
// standard input, which may be text or a stream of a columnar format; if it is the only path, its bytes come from stdin. Without a path the rows
// come from o.LabelFile, or are o.Bare rows without labels, and have no features. Reading
// what has to be known of a table beforehand ends when ctx is done.
func Open(ctx context.Context, paths []string, stdin io.Reader, o Options) (Source, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	text := o.ReadOptions
	labels, err := openLabels(&text)
	if err != nil {
		return nil, err
	}
	switch {
	case len(paths) == 0 && o.LabelFile == "":
		return bare(o.Bare), nil
	case len(paths) == 0:
		return labels.alone(o.Labels, text)
	}
	src, err := openRows(ctx, paths, stdin, o, text)
	if err != nil {
		labels.Close()
		return nil, err
	}
	return labels.label(src, o.Labels), nil
}

// checkIndicator rejects features of missing values in a training on data that are not a table.
func (o *Options) checkIndicator(path string) error {
	if o.Impute != dataset.ImputeIndicator || o.Trained {
		return nil
	}
	return fail.New(fail.Usage, "--impute %s with data that are no table, whose columns alone get features of missing values",
		o.Impute).At(path, 0, 0).WithHint("--impute median")
}

// describeText describes the format of text that is not a table.
func (o *Options) describeText() string {
	switch {
	case o.Objects != nil:
		return "rows that name objects"
	case o.Sequences != dataset.Numbers:
		return "sequences"
	}
	return "LIBSVM text"
}

// checkFormat rejects options of tables in a training on data in a format with this description. A script that uses
// a model may have the options for data in all formats.
func (o *Options) checkFormat(path, is string) error {
	given := o.Table.Given()
	if given == nil || o.Mixed || o.Trained {
		return nil
	}
	has := "has"
	if len(given) > 1 {
		has = "have"
	}
	return fail.New(fail.Usage, "%s %s no effect: the data are %s, and not a table", strings.Join(given, ", "), has, is).
		At(path, 0, 0).WithHint("leave the options out, or --format csv if it is a table")
}

// openRows opens data without labels in arrays of their own.
func openRows(ctx context.Context, paths []string, stdin io.Reader, o Options,
	text dataset.ReadOptions) (*source, error) {
	f, err := o.formatOf(paths)
	if err != nil {
		return nil, err
	}
	alone := len(paths) == 1 && paths[0] == "-"
	if alone && f == nil && (o.Format == "" || o.Format == "auto") {
		start := bufio.NewReaderSize(stdin, headSize)
		stdin, f = start, streamed(start)
	}
	switch {
	case f != nil && alone && f.stream == "":
		return nil, fail.New(fail.Input, "this is %s, which is read from files", f.is).At(stdinName, 0, 0)
	case f != nil && alone:
		return f.open(ctx, paths, stdin, o, text)
	case f != nil:
		return f.open(ctx, paths, nil, o, text)
	}
	// A look at the first bytes of standard input must not take them from who reads it.
	if alone && o.Format != libsvm && (o.Sequences == dataset.Numbers || o.Table.Sequences != nil ||
		o.Columns != nil) {
		stdin = bufio.NewReaderSize(stdin, headSize)
	}
	separator, is := byte(0), false
	if o.Objects == nil { // A file whose rows name objects is not a table of features.
		if separator, is, err = o.isTable(paths, stdin); err != nil {
			return nil, err
		}
	}
	if is {
		var stream *dataset.Stream
		if stdin != nil {
			stream = dataset.NewStream(stdin, stdinName, o.TrustCompressed)
		}
		return openTable(ctx, paths, stream, separator, o, text)
	}
	if err := cmp.Or(o.checkIndicator(paths[0]), o.checkFormat(paths[0], o.describeText())); err != nil {
		return nil, err
	}
	if o.Sequences.Before() > 0 {
		return nil, fail.New(fail.Input, "the model takes numbers beside sequences, which tables "+
			"and packed stores have").At(paths[0], 0, 0)
	}
	if alone {
		r := dataset.NewReader(stdin, stdinName, text)
		return &source{Source: r, Closer: r}, nil
	}
	r, err := dataset.Open(paths, text)
	if err != nil {
		return nil, err
	}
	return &source{Source: r, Closer: r}, nil
}
