package table

import (
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// ReadColumn reads the words of a column of a table, whose first line names its columns: one word for each row, of at
// most limit rows unless that is 0. An empty cell, a word that is not UTF-8 and an unknown column are errors of class
// fail.Input.
func ReadColumn(path, column string, limit int) ([]string, error) {
	stream, err := dataset.OpenStream(path, false)
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	r, err := newRecords(stream, 0)
	if err != nil {
		return nil, err
	}
	first, err := r.next()
	if err == io.EOF {
		return nil, fail.New(fail.Input, "the file has no lines").At(path, 0, 0)
	}
	if err != nil {
		return nil, err
	}
	names := columnNames(first, true)
	at := slices.Index(names, column)
	if at < 0 {
		return nil, fail.New(fail.Input, "no column is called %s", fail.Label(column)).At(path, 1, 0).
			WithHint("the columns here are %s", listNames(names))
	}
	var words []string
	for limit == 0 || len(words) < limit {
		record, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if len(record) != len(names) {
			return nil, r.fieldsFault(len(record), len(names))
		}
		word := trim(record[at])
		if word == "" || !utf8.ValidString(word) {
			return nil, r.fault(at, "%s is no name", fail.Word(word)).WithHint("each row has a word in this column")
		}
		words = append(words, strings.Clone(word))
	}
	if len(words) == 0 {
		return nil, fail.New(fail.Input, "no rows").At(path, 0, 0)
	}
	return words, nil
}
