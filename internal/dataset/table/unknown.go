package table

import (
	"slices"

	"bigmkl/internal/fail"
)

// mostUnknown is the largest number of unknown words that a message quotes.
const mostUnknown = 3

// unknownWords are words that are none of the categories of a model.
type unknownWords struct {
	n     int
	first []string // first quotes the first different words, each with its column.
}

// add counts a word of a column, whose name may be shown.
func (u *unknownWords) add(word, column string) {
	u.n++
	if len(u.first) == mostUnknown {
		return
	}
	if text := fail.Word(word) + " of column " + column; !slices.Contains(u.first, text) {
		u.first = append(u.first, text)
	}
}
