// Package payload reads rows from the body of a request: JSON, an array as .npy file, or a tensor.
//
// Purpose. A Form states what rows a model takes, and its methods JSON, Npy and Tensor return a
// dataset.Source of the rows of a body that is in memory. docs/SERVE.md describes the forms of a row. Zeros
// are not entries of a row, as in libsvm text, and numbers are rounded as there, so the same numbers give
// the same rows.
//
// Invariants. Whatever the bytes are, rows have ascending indices and finite values. An error is of
// class fail.Input, or fail.Budget beyond the limit of rows, and names no file but File if it is
// about a row, whose number from 1 is its line.
//
// Concurrency. A Form may be shared. Rows belong to one goroutine.
//
// Memory. Rows are decoded one by one. That takes 32 bytes for each feature of the model and a copy
// of the text of the row, and for JSON once a copy of the whole body.
package payload

import (
	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// File takes the place of the name of a file in errors about a row.
const File = "rows"

// Form states what the rows of a body look like.
type Form struct {
	// Features is the number of features. Sequences may have other numbers of letters.
	Features int
	// Sequences is the alphabet if rows are sequences.
	Sequences dataset.Alphabet
	// Most is the number of rows that a body may have.
	Most int
	// Imputes is set if values may be missing: null in JSON, and NaN in arrays.
	Imputes bool
	// table lists the columns in order, and columns finds them by name. Both are nil unless the
	// features are columns of a table.
	table   []dataset.Column
	columns map[string]column
}

// column is a column of a table: its first feature, and where its words are, if it has words.
type column struct {
	first int
	words map[string]int
	// missing is the feature of rows without the value, or -1.
	missing int
}

// NewForm returns the form of rows. Columns are the columns of the table that a model was trained
// with, and nil if there was none.
func NewForm(features int, sequences dataset.Alphabet, c *dataset.Columns, most int) *Form {
	f := &Form{Features: features, Sequences: sequences, Most: most}
	if c == nil {
		return f
	}
	f.table, f.columns = c.Features, map[string]column{}
	first := 0
	for i := range c.Features {
		t := &c.Features[i]
		at := column{first: first, missing: -1}
		if t.Missing {
			at.missing = first + t.Width() - 1
		}
		if t.Categories != nil {
			at.words = map[string]int{}
		}
		for k, word := range t.Categories {
			at.words[word] = k
		}
		f.columns[t.Name], first = at, first+t.Width()
	}
	return f
}

// Rows is a dataset.Source of the rows of a body.
type Rows struct {
	form *Form
	// next reads the next row into row, whose Line counts the rows.
	next func() error
	row  dataset.Row
	// values holds a row with all its features, zeros included.
	values  []float64
	unknown int
}

var _ dataset.Source = (*Rows)(nil)

// Unknown returns how many words so far were none of the categories of their columns. All features
// of such a column are 0 in the row.
func (s *Rows) Unknown() int { return s.unknown }

// Next implements dataset.Source. The slices of a row are valid until the next call.
func (s *Rows) Next() (dataset.Row, error) {
	s.row.Line++
	s.row.Index, s.row.Value = s.row.Index[:0], s.row.Value[:0]
	err := s.next()
	if err == nil && s.row.Line > s.form.Most {
		err = fail.New(fail.Budget, "a request has at most %d rows", s.form.Most).
			WithHint("send several requests")
	}
	return s.row, err
}

// fault returns an error about the latest row.
func (s *Rows) fault(format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At(File, s.row.Line, 0)
}

// addDense makes the row of its values. A zero is not an entry, as in files.
func (s *Rows) addDense() error {
	if d := s.form.Features; len(s.values) != d {
		return s.fault("a row of %d values or more, and the model has %d features",
			len(s.values), d).WithHint("features that are zero may be left out by index and value")
	}
	for j, v := range s.values {
		if v != 0 {
			s.row.Index, s.row.Value = append(s.row.Index, int32(j)), append(s.row.Value, v)
		}
	}
	return nil
}
