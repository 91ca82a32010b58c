package table

import (
	"bigmkl/internal/fail"
)

// stats summarise what a column holds below the first record.
type stats struct {
	// lacking is set if a field is missing, and empty if it is nothing at all.
	lacking, empty bool
	numbers, words int // fields of either kind; missing ones are neither
	// categories counts how often each word occurs in the sample, numbers and spellings of missing
	// values among them. The counts are pointers because an assignment to an entry of a map stores its key
	// again, and a field lies in the memory of a buffer that the next lines overwrite.
	categories map[string]*int
	// found counts the words of each form, of which examples has the first; strange is the first of
	// all.
	found    [forms]int
	examples [forms]example
	strange  example
	// longest is the length of the longest field, which counts for sequences.
	longest int
}

// example is a word at its place.
type example struct {
	word string
	at   *fail.Error
}

// fault returns an error at the place of the word.
func (x *example) fault(format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At(x.at.File, x.at.Line, x.at.Column)
}

const (
	// rareWords is the number of numbers for each word from which on a column is one of numbers,
	// in which a word is a mistake rather than a category.
	rareWords = 10
	// fewCodes is the largest number of different values that are taken for codes, such as 1, 2 and
	// 3+, where most are numbers.
	fewCodes = 10
	// fewValues is the number of values below which it is not evidence that words occur once.
	fewValues = 10
	// manyNames is the number of different words from which on it is strange that they occur twice.
	manyNames = 20
)

// numeric returns the number of words that look like numbers.
func (s *stats) numeric() (n int) {
	for f := pointForm; f < dateForm; f++ {
		n += s.found[f]
	}
	return n
}

// formed reports whether a column has numbers in another form.
func (s *stats) formed() bool {
	numeric := s.numeric()
	return numeric > 0 && 2*(numeric+s.numbers) >= s.words+s.numbers
}

// dated reports whether the words of a column are dates.
func (s *stats) dated() bool { return 2*s.found[dateForm] >= s.words }

// doubt returns an error if it is not plain what a column is, of so many rows: numbers in another
// form, dates, or names would each become a feature without information, and a slip of the hand
// would turn all numbers of its column into categories.
func (s *stats) doubt(name string, rows int) error {
	column := fail.Label(name)
	looks := func(f form) error {
		x := &s.examples[f]
		return x.fault("values of column %s look like %s, such as %s", column, f.what(),
			fail.Quote(x.word)).
			WithHint("%s", f.hint(name))
	}
	switch {
	case s.words+s.numbers == 0 && rows > 0:
		return fail.New(fail.Input, "column %s has no value in the first %d rows", column, rows).
			WithHint("--id %s leaves it out", column)
	case s.words == 0:
		return nil
	case s.numbers >= rareWords*s.words && s.found[wordForm] > 0:
		return s.mistaken(name)
	case s.formed():
		return looks(s.form())
	case s.dated():
		return looks(dateForm)
	case s.numbers >= s.words && !s.codes():
		return s.mistaken(name)
	case s.names():
		return s.strange.fault("column %s has a word of its own in nearly every row, such as %s",
			column, fail.Quote(s.strange.word)).
			WithHint("--id %s leaves names out; --categories %s makes a feature of each word", column,
				column)
	}
	return nil
}

// mistaken returns the error for a word in a column of numbers.
func (s *stats) mistaken(name string) error {
	word, column := fail.Label(s.strange.word), fail.Label(name)
	return s.strange.fault("%s in column %s, a column of numbers", fail.Quote(s.strange.word), column).
		WithHint("--na %s if it stands for a missing value; --categories %s takes numbers for words; "+
			"--id %s leaves the column out", word, column, column)
}

// form returns the form that explains all numbers of a column that are not plain.
func (s *stats) form() form {
	for _, f := range []form{signForm, pointForm, bothForm, commaForm, thousandsForm} {
		if s.found[f] > 0 {
			return f
		}
	}
	return eitherForm
}

// codes reports whether a column has few values that recur.
func (s *stats) codes() bool {
	return len(s.categories) <= fewCodes && s.numbers+s.words >= 2*len(s.categories)
}

// names reports whether most words of a column occur once.
func (s *stats) names() bool {
	values, once := s.numbers+s.words, 0
	for word, n := range s.categories {
		if *n == 1 && !missing(word) {
			once++
		}
	}
	return values >= fewValues && 2*once >= values ||
		len(s.categories) >= manyNames && 2*len(s.categories) >= values
}
