package table

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// Options set how tables are read.
type Options struct {
	// Separator is a comma, a semicolon or a tab. If it is 0, the first line decides.
	Separator byte
	// Header is yes or no: whether the first line has the names of columns. If it is empty or auto,
	// the first rows tell. Without a header columns are called 1, 2 and so on.
	Header string
	// Label is the column of labels, by name or number. If it is empty, it is the one called label,
	// class, target or y.
	Label string
	// Time is another name of Label, where labels are times.
	Time string
	// Event is the column that reports whether the time of the label is the time of an event, by name or number; see
	// labeltext.Event. If it is empty, the labels have it.
	Event string
	// Group is the column of the groups of relevances, by name or number. If it is empty, the labels have them.
	Group string
	// Upper is the column of upper bounds of times, by name or number. Label then has the lower bounds. If it is empty, the labels have both.
	Upper string
	// Skip lists columns that are not features, by name or number.
	Skip []string
	// Names sets the names of each row to its words in the columns that are not features; see dataset.Row.
	Names bool
	// Categories lists columns of categories, whatever their first rows look like.
	Categories []string
	// Sequences lists columns of sequences, by name or number, and Letters is their alphabet.
	Sequences []string
	Letters   dataset.Alphabet
	// NA lists words that represent a missing value, besides those that always do.
	NA []string
	// Impute is dataset.ReadOptions.Impute.
	Impute string
	// Decimal is point or comma, the decimal sign of numbers. If it is empty, it is a point.
	Decimal string
	// Thousands means that digits of numbers may be written in groups of three.
	Thousands bool
	// Columns are the columns of a model. If it is nil, the first rows decide.
	Columns *dataset.Columns
	// NumbersOnly is set for a model that has no columns, and so no categories either.
	NumbersOnly bool
	// Features is the number of features of such a model, or 0 if that is not known. A table
	// without a header that has more columns is rejected, because one of them is the label.
	Features int
	// Labels sets what labels mean.
	Labels dataset.Labeling
	// Unlabelled is true if rows may be without a column of labels.
	Unlabelled bool
	// Open opens a file. If it is nil, files are text, which may be compressed.
	Open func(path string) (*dataset.Stream, error)
	// Trusted lifts the limits on compressed bytes.
	Trusted bool
}

// Headers lists the values of Options.Header.
var Headers = []string{"auto", "yes", "no"}

// Excludes reports whether a column is not a feature: it has labels or a part of them, or is left out.
func (o *Options) Excludes(column string) bool {
	return column != "" && slices.Contains(append([]string{o.Label, o.Time, o.Event, o.Upper, o.Group}, o.Skip...), column)
}

// Given lists the flags of the options that were chosen and that only tables have.
func (o *Options) Given() (flags []string) {
	for _, of := range []struct {
		flag  string
		given bool
	}{
		{"--label", o.Label != ""}, {"--time", o.Time != ""}, {"--event", o.Event != ""},
		{"--time-upper", o.Upper != ""}, {"--group", o.Group != ""}, {"--id", o.Skip != nil},
		{"--categories", o.Categories != nil}, {"--na", o.NA != nil}, {"--thousands", o.Thousands},
		{"--header", o.Header != "" && o.Header != Headers[0]}, {"--decimal", o.Decimal != "" && o.Decimal != Decimals[0]},
	} {
		if of.given {
			flags = append(flags, of.flag)
		}
	}
	return flags
}

// Validate returns all faults of the options as one error of class fail.Usage. It takes Time for Label.
func (o *Options) Validate() error {
	var errs []error
	if o.Header != "" && !slices.Contains(Headers, o.Header) {
		errs = append(errs, fail.New(fail.Usage, "unknown kind of header %s", fail.Quote(o.Header)).
			WithHint("%s", strings.Join(Headers, ", ")))
	}
	if o.Decimal != "" && !slices.Contains(Decimals, o.Decimal) {
		errs = append(errs, fail.New(fail.Usage, "unknown decimal sign %s", fail.Quote(o.Decimal)).
			WithHint("%s", strings.Join(Decimals, ", ")))
	}
	errs = append(errs, o.validateNA())
	if o.Label != "" && o.Time != "" {
		errs = append(errs, fail.New(fail.Usage, "the column of times is %s, and that of labels %s", fail.Quote(o.Time), fail.Quote(o.Label)).
			WithHint("they are the same: one of them"))
	}
	o.Label = cmp.Or(o.Label, o.Time)
	if o.Label != "" && slices.Contains(o.Skip, o.Label) {
		errs = append(errs, fail.New(fail.Usage, "column %s is the label and is left out",
			fail.Quote(o.Label)))
	}
	if o.Event != "" && (o.Event == o.Label || slices.Contains(o.Skip, o.Event)) {
		errs = append(errs, fail.New(fail.Usage, "column %s has the events and is the label or left out", fail.Quote(o.Event)))
	}
	if o.Group != "" && (o.Group == o.Label || slices.Contains(o.Skip, o.Group)) {
		errs = append(errs, fail.New(fail.Usage, "column %s has the groups and is the label or left out", fail.Quote(o.Group)))
	}
	if o.Upper != "" && (o.Upper == o.Label || slices.Contains(o.Skip, o.Upper)) {
		errs = append(errs, fail.New(fail.Usage, "column %s has the upper bounds of times and is the label or left out", fail.Quote(o.Upper)))
	}
	if o.Upper != "" && o.Event != "" {
		errs = append(errs, fail.New(fail.Usage, "column %s has the events, and column %s the upper bounds of times", fail.Quote(o.Event), fail.Quote(o.Upper)).
			WithHint("one of them: equal bounds are an event"))
	}
	for _, column := range o.Sequences {
		if column == o.Label || slices.Contains([]string{o.Group, o.Upper, o.Event}, column) && column != "" || slices.Contains(o.Skip, column) ||
			slices.Contains(o.Categories, column) {
			errs = append(errs, fail.New(fail.Usage, "column %s has sequences and is the label, "+
				"left out or of categories", fail.Quote(column)))
		}
	}
	return errors.Join(errs...)
}
