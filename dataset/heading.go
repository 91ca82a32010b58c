package dataset

import (
	"bytes"
	"strings"

	"bigmkl/internal/fail"
)

// heading holds the facts of the first line of a file of fields about a column that is known by
// its name.
type heading struct {
	separator byte // separator is a comma, a semicolon or a tab, or 0 for blanks.
	column    int  // column is the 1-based number of the column.
	columns   int  // columns is the number of columns.
}

// newHeading finds the column of a name in the first line. The line is separated as the first line
// of a table is: by its most frequent separator. It returns an error of class fail.Input without a
// place.
func newHeading(line []byte, name string) (*heading, error) {
	h := &heading{separator: SeparatorOf(line)}
	names, err := h.names(line)
	if err != nil {
		return nil, err
	}
	h.columns = len(names)
	for k, each := range names {
		if each != name {
			continue
		}
		if h.column > 0 {
			return nil, fail.New(fail.Input, "two columns are called %s", fail.Label(name))
		}
		h.column = k + 1
	}
	if h.column == 0 {
		list := fail.List(func(i int) string { return fail.Label(names[i]) }, len(names))
		return nil, fail.New(fail.Input, "no column is called %s", fail.Label(name)).
			WithHint("the columns here are %s; a number counts them from 1", list)
	}
	return h, nil
}

// names returns the fields of the first line.
func (h *heading) names(line []byte) (names []string, err error) {
	if h.separator == 0 {
		for _, word := range bytes.Fields(line) {
			names = append(names, string(word))
		}
		return names, nil
	}
	for at := 0; at >= 0; {
		var field []byte
		if field, _, at, err = h.cut(line, at); err != nil {
			return nil, err
		}
		names = append(names, string(field))
	}
	return names, nil
}

// field returns the field of the column and its offset in a line. A line with another number of
// fields than the first is an error, because a separator too many shifts the columns.
func (h *heading) field(line []byte) (field []byte, at int, err error) {
	if h.separator == 0 {
		field, at, ok := column(line, h.column)
		if !ok {
			return nil, 0, fail.New(fail.Input, "no column %d", h.column)
		}
		return field, at, nil
	}
	count := 0
	for next := 0; next >= 0; {
		each, start, after, err := h.cut(line, next)
		if err != nil {
			return nil, 0, err
		}
		if count++; count == h.column {
			field, at = each, start
		}
		next = after
	}
	if count != h.columns {
		return nil, 0, fail.New(fail.Input, "%d columns, and the first line has %d", count, h.columns)
	}
	return field, at, nil
}

// cut returns the field that begins at an offset, the offset of its text, and the offset of the
// next field, or -1 after the last one. Quotes follow RFC 4180, within one line.
func (h *heading) cut(line []byte, from int) (field []byte, at, next int, err error) {
	for from < len(line) && blank(line[from]) && line[from] != h.separator {
		from++
	}
	if from == len(line) || line[from] != '"' {
		end := bytes.IndexByte(line[from:], h.separator)
		if end < 0 {
			return bytes.TrimRight(line[from:], " \t"), from, -1, nil
		}
		return bytes.TrimRight(line[from:from+end], " \t"), from, from + end + 1, nil
	}
	start := from + 1
	for i := start; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		if i+1 < len(line) && line[i+1] == '"' {
			i++
			continue
		}
		field = line[start:i]
		if bytes.IndexByte(field, '"') >= 0 {
			field = []byte(strings.ReplaceAll(string(field), `""`, `"`))
		}
		for i++; i < len(line) && blank(line[i]) && line[i] != h.separator; i++ {
		}
		switch {
		case i == len(line):
			return field, start, -1, nil
		case line[i] == h.separator:
			return field, start, i + 1, nil
		}
		return nil, 0, 0, fail.New(fail.Input, "text behind a quoted field").At("", 0, i+1)
	}
	return nil, 0, 0, fail.New(fail.Input, "a quote that does not end in its line").At("", 0, from+1)
}

// SeparatorOf returns the comma, semicolon or tab that the first line of a text has most of outside of quotes, or 0 if it
// has none.
func SeparatorOf(text []byte) (separator byte) {
	most, quoted := 0, false
	counts := map[byte]int{}
	for _, c := range text {
		if c == '\n' && !quoted && len(counts) > 0 {
			break
		}
		switch c {
		case '"':
			quoted = !quoted
		case ',', ';', '\t':
			if !quoted {
				counts[c]++
			}
		}
	}
	for _, c := range []byte{',', ';', '\t'} {
		if counts[c] > most {
			separator, most = c, counts[c]
		}
	}
	return separator
}
