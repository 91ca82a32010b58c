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
	// SampleRows is the number of rows that tell what the columns are.
	SampleRows = 1000
	// sampleFields bounds the fields of these rows, so that rows of many columns are fewer.
	sampleFields = 1 << 18
	// mostCategories is the largest number of categories of a column that was not said to have any.
	// A column with more words is rather a name of each row.
	mostCategories = 500
)

// sample is what the first rows of a table say.
type sample struct {
	first  []string // first is the first record.
	rows   int      // rows counts the records after it.
	stats  []stats
	header bool
	// names are those of the columns. A column without a name has its number.
	names   []string
	unnamed []bool
}

// maxWord is the length beyond which a word is a name or a sequence rather than a category.
const maxWord = 1 << 10

// stats say what a column holds below the first record.
type stats struct {
	numbers, words int // fields of either kind; missing ones are neither
	categories     map[string]bool
	// strange is the fault that the first word is if the column turns out to be one of numbers.
	strange *fail.Error
	// longest is the length of the longest field, which counts for sequences.
	longest int
}

// add looks at a field. fault returns an error at its place.
func (s *stats) add(field string, fault func(format string, args ...any) *fail.Error) {
	field = strings.TrimSpace(field)
	if _, ok := dataset.ParseNumber(field); ok {
		s.numbers++
	} else if !missing(field) {
		if s.words++; s.words == 1 {
			s.strange = fault("%s in a column of numbers", fail.Quote(field))
		}
	}
	s.collect(field)
}

// rareWords is the number of numbers for each word from which on a column is one of numbers, in which
// a word is a mistake rather than a category.
const rareWords = 10

// mistaken returns an error if the column is one of numbers and has words all the same: a slip of the
// hand or an infinity would silently turn each of its numbers into a category.
func (s *stats) mistaken(name string) error {
	if s.words == 0 || s.numbers < rareWords*s.words {
		return nil
	}
	return s.strange.WithHint("--categories %s takes its numbers for words; --id %s leaves it out",
		fail.Label(name), fail.Label(name))
}

// collect adds a word to the categories, unless they are too many already.
func (s *stats) collect(word string) {
	s.longest = max(s.longest, len(word))
	// Longer words can be no categories, and sequences need not be kept.
	if word == "" || len(word) > maxWord && len(s.categories) > 0 {
		return
	}
	if s.categories == nil {
		s.categories = map[string]bool{}
	}
	if len(s.categories) <= dataset.MaxClasses && !s.categories[word] {
		s.categories[strings.Clone(word)] = true
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
			s.stats[k].add(field, func(format string, args ...any) *fail.Error {
				return r.fault(k, format, args...)
			})
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
			s.stats[k].add(field, func(format string, args ...any) *fail.Error {
				return fail.New(fail.Input, format, args...).At(r.stream.Name(), 1, 0)
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
// known by that name, or if it has a word where all rows below have numbers. A line alone is a
// header if it has words alone.
func (s *sample) hasHeader(o *Options) bool {
	if o.Header == "yes" || o.Header == "no" {
		return o.Header == "yes"
	}
	words := 0
	for k, field := range s.first {
		if _, number := dataset.ParseNumber(field); number || missing(field) {
			continue
		}
		if s.stats[k].numbers > 0 && s.stats[k].words == 0 || o.knows(field) {
			return true
		}
		words++
	}
	return s.rows == 0 && words == len(s.first)
}

// knows reports whether a model has a column of this name.
func (o *Options) knows(name string) bool {
	c := o.Columns
	return c != nil && (c.Label == name || slices.Contains(c.Skipped, name) ||
		slices.ContainsFunc(c.Features, func(f dataset.Column) bool { return f.Name == name }))
}

// find returns the number of a column, from 0, that is given by its name or by its number, from 1.
func (s *sample) find(column string) (int, error) {
	// A name goes before a number, because a column may be called 2018.
	if k := slices.Index(s.names, column); k >= 0 {
		return k, nil
	}
	if n, err := strconv.Atoi(column); err == nil && n >= 1 && n <= len(s.names) {
		return n - 1, nil
	}
	return 0, fail.New(fail.Input, "no column is called %s", fail.Quote(column)).
		WithHint("the columns are %s", listNames(s.names))
}

// listNames lists the first of many names.
func listNames(names []string) string {
	return fail.List(func(i int) string { return fail.Label(names[i]) }, len(names))
}
