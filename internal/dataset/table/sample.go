package table

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

const (
	// SampleRows is the number of rows that decide what the columns are.
	SampleRows = 1000
	// sampleFields bounds the fields of these rows, so rows of many columns are fewer.
	sampleFields = 1 << 18
	// mostCategories is the largest number of categories of a column that was not said to have any.
	// A column with more words is rather a name of each row.
	mostCategories = 500
)

// sample holds the facts of the first rows of a table.
type sample struct {
	first  []string // first is the first record.
	rows   int      // rows counts the records after it.
	stats  []stats
	header bool
	// names are the names of the columns. A column without a name has its number.
	names   []string
	unnamed []bool
}

// maxWord is the length beyond which a word is a name or a sequence rather than a category.
const maxWord = 1 << 10

// add looks at a field. place returns an error without a message at its place.
func (s *stats) add(o *Options, field string, place func() *fail.Error) {
	field = strings.TrimSpace(field)
	s.collect(field)
	s.empty = s.empty || field == ""
	if o.missing(field) {
		s.lacking = true
		return
	}
	if _, ok := o.number(field); ok {
		s.numbers++
		return
	}
	f := o.formOf(field)
	for _, first := range []*example{&s.examples[f], &s.strange} {
		if first.at == nil {
			*first = example{strings.Clone(field), place()}
		}
	}
	s.words++
	s.found[f]++
}

// collect adds a word to the categories, unless they are too many already.
func (s *stats) collect(word string) {
	s.longest = max(s.longest, len(word))
	// Longer words cannot be categories, and sequences need not be kept.
	if word == "" || len(word) > maxWord && len(s.categories) > 0 {
		return
	}
	if s.categories == nil {
		s.categories = map[string]*int{}
	}
	switch n := s.categories[word]; {
	case n != nil:
		*n++
	case len(s.categories) <= dataset.MaxClasses:
		one := 1
		s.categories[strings.Clone(word)] = &one
	}
}

// takeSample reads the first records of a table.
func takeSample(r *records, o *Options) (*sample, error) {
	s := &sample{}
	// What is looked at is bounded in rows and in fields. The words that it may collect are bounded
	// by mostCategories and dataset.MaxClasses.
	for s.rows < SampleRows && s.rows*len(s.first) < sampleFields {
		record, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if s.first == nil {
			// The first record is kept, and the memory of a record is used for the next one.
			for _, field := range record {
				s.first = append(s.first, strings.TrimSpace(strings.Clone(field)))
			}
			s.stats = make([]stats, len(record))
			continue
		}
		if len(record) != len(s.first) {
			return nil, r.fieldsFault(len(record), len(s.first))
		}
		s.rows++
		for k, field := range record {
			s.stats[k].add(o, field, func() *fail.Error { return r.fault(k, "") })
		}
	}
	if s.first == nil {
		return nil, fail.New(fail.Input, "no rows").At(r.stream.Name(), 0, 0)
	}
	// Only once it is known whether the first record is a header can it count as a row.
	s.header = s.hasHeader(o)
	s.unnamed = make([]bool, len(s.first))
	for k, field := range s.first {
		if !s.header {
			s.stats[k].add(o, field, func() *fail.Error {
				return fail.New(fail.Input, "").At(r.stream.Name(), 1, 0)
			})
		}
		s.unnamed[k] = s.header && field == ""
	}
	s.names = columnNames(s.first, s.header)
	return s, nil
}

// columnNames returns the names of the columns of a table with this first record. Without a header,
// or a name, a column is called by its number.
func columnNames(first []string, header bool) []string {
	names := make([]string, len(first))
	for k, field := range first {
		names[k] = strings.Clone(strings.TrimSpace(field))
		if !header || names[k] == "" {
			names[k] = strconv.Itoa(k + 1)
		}
	}
	return names
}

// fieldsFault returns the error for a record of another length than the first.
func (r *records) fieldsFault(n, want int) error {
	return r.fault(0, "%d columns in this row and %d in the first", n, want).
		WithHint("fields with separators or line ends stand in quotes")
}

// hasHeader reports whether the first record has the names of the columns. It does if a column is
// known by that name, or if it has a word where all rows below have numbers or dates. A line alone is
// a header if it has words alone, and so is a line above rows of words that do not contain its words.
func (s *sample) hasHeader(o *Options) bool {
	if o.Header == "yes" || o.Header == "no" {
		return o.Header == "yes"
	}
	words, apart := 0, 0
	for k, field := range s.first {
		if _, number := o.number(field); number || o.missing(field) {
			continue
		}
		below, f := &s.stats[k], o.formOf(field)
		alike := below.numeric() + below.found[dateForm]
		if f == wordForm && below.numbers+alike > 0 && below.words == alike || o.knows(field) {
			return true
		}
		words++
		// A word of the first line that never comes again stands apart from those that do.
		if n := len(below.categories); f == wordForm && below.categories[field] == nil &&
			s.rows >= fewValues && 2*n <= s.rows {
			apart++
		}
	}
	return words == len(s.first) && (s.rows == 0 || o.Columns == nil && apart == words)
}

// hintHeader warns that a first line of words alone may be a header that was not taken for one.
func (s *sample) hintHeader(o *Options) string {
	if s.header || o.Header == "no" || slices.ContainsFunc(s.first, func(field string) bool {
		_, number := o.number(field)
		return number || missing(field)
	}) {
		return ""
	}
	return "--header yes if the first line names the columns; "
}

// knows reports whether a model, or an option, has a column of this name.
func (o *Options) knows(name string) bool {
	if c := o.Columns; c != nil {
		return c.Label == name || c.Event == name || c.Upper == name || slices.Contains(c.Skipped, name) ||
			slices.ContainsFunc(c.Features, func(f dataset.Column) bool { return f.Name == name })
	}
	return name == o.Label || slices.Contains(o.Skip, name) ||
		slices.Contains(o.Categories, name) || slices.Contains(o.Sequences, name)
}

// find returns the number of a column, from 0, that is given by its name or by its number, from 1.
func (s *sample) find(o *Options, column string) (int, error) {
	// A name goes before a number, because a column may be called 2018.
	if k := slices.Index(s.names, column); k >= 0 {
		return k, nil
	}
	if n, err := strconv.Atoi(column); err == nil && n >= 1 && n <= len(s.names) {
		return n - 1, nil
	}
	return 0, fail.New(fail.Input, "no column is called %s", fail.Quote(column)).
		WithHint("%sthe columns are %s", s.hintHeader(o), listNames(s.names))
}

// listNames lists the first of many names.
func listNames(names []string) string {
	return fail.List(func(i int) string { return fail.Label(names[i]) }, len(names))
}
