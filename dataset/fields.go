package dataset

import (
	"io"
	"strconv"
	"strings"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
	"bigmkl/internal/files"
)

// fields reads one field for each row from a text file. The fields are weights or labels.
type fields struct {
	*text
	column int // column is the 1-based number of the field in a line, or 0 for one with a name.
	// called is the name of the column, and heading is nil before the line that has it was read.
	called  string
	heading *heading
}

// Files lists the files that are read in addition to the data.
func (o ReadOptions) Files() []string {
	var paths []string
	for _, spec := range []string{o.Weights, o.LabelFile} {
		if path, _, _, err := splitFields(spec); err == nil && path != "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// splitFields splits FILE, FILE:COLUMN or FILE:NAME into its parts. The column is 1 if none is given,
// and 0 if it has a name. The name of a file as a whole is not the name of a column.
func splitFields(spec string) (path string, column int, called string, err error) {
	i := strings.LastIndexByte(spec, ':')
	if i < 0 || i+1 == len(spec) {
		return spec, 1, "", nil
	}
	path, called = spec[:i], spec[i+1:]
	if !labeltext.AllDigits(called) {
		if _, err := files.Stat(spec); err == nil {
			return spec, 1, "", nil
		}
		if _, err := files.Stat(path); err != nil && path != "-" {
			return spec, 1, "", nil
		}
		return path, 0, called, nil
	}
	column, err = strconv.Atoi(called)
	if err != nil || column < 1 {
		return "", 0, "", fail.New(fail.Usage, "%s: columns count from 1", fail.Quote(spec))
	}
	return path, column, "", nil
}

func openFields(spec string, trusted bool) (*fields, error) {
	path, column, called, err := splitFields(spec)
	if err != nil {
		return nil, err
	}
	t, err := openText(path, trusted)
	if err != nil {
		return nil, err
	}
	return &fields{text: t, column: column, called: called}, nil
}

// next returns the next row's field and the offset at which it begins in its line, or io.EOF.
func (w *fields) next() (field []byte, at int, err error) {
	for {
		line, err := w.text.next()
		if err != nil {
			return nil, 0, err
		}
		start := skipBlanks(line, 0)
		if start == len(line) || line[start] == '#' {
			continue
		}
		if w.called == "" {
			field, at, ok := column(line, w.column)
			if !ok {
				return nil, 0, w.bad(start, "no column %d", w.column)
			}
			return field, at, nil
		}
		if w.heading != nil {
			field, at, err = w.heading.field(line)
			return field, at, setPlace(err, &Row{File: w.name, Line: w.number})
		}
		if w.heading, err = newHeading(line, w.called); err != nil {
			return nil, 0, setPlace(err, &Row{File: w.name, Line: w.number})
		}
	}
}

// weight returns the next row's weight, or io.EOF.
func (w *fields) weight() (float64, error) {
	field, at, err := w.next()
	if err != nil {
		return 0, err
	}
	v, end := number(field, 0)
	switch {
	case end != len(field):
		return 0, w.bad(at, "weight %s is not a finite decimal number", clip(field)).
			WithHint("lines that start with # are skipped; FILE:NAME takes the column of a name in the first line")
	case v < 0:
		return 0, w.bad(at, "weight %s is below 0", clip(field)).
			WithHint("a row of weight 0 is left out")
	}
	return v, nil
}

// label sets the label of a row to the next field, or returns io.EOF.
func (w *fields) label(p *parser, row *Row) error {
	field, at, err := w.next()
	if err != nil {
		return err
	}
	return setPlace(shiftColumn(p.label(field, 0, len(field), row), at),
		&Row{File: w.name, Line: w.number})
}

// checkDrained takes the error of one read beyond the last row and returns nil if nothing was left
// over. The argument what names the surplus in the message.
func (w *fields) checkDrained(err error, what string, rows int) error {
	switch err {
	case io.EOF:
		return nil
	case nil:
		e := w.bad(0, "more %s than the %d rows of the data", what, rows)
		if w.called == "" && rows+1 == w.number {
			e = e.WithHint("if the first line has names, FILE:NAME takes the column of that name")
		}
		return e
	}
	return err
}

func (w *fields) bad(at int, format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At(w.name, w.number, at+1)
}

// column returns the k-th field of a line and its offset. Fields are separated by blanks, or by a
// comma with optional blanks around it. Two commas have an empty field between them, so a gap does
// not shift the columns.
func column(line []byte, k int) (field []byte, at int, ok bool) {
	i := skipBlanks(line, 0)
	for {
		start := i
		for i < len(line) && line[i] != ',' && !blank(line[i]) {
			i++
		}
		if k--; k == 0 {
			return line[start:i], start, true
		}
		i = skipBlanks(line, i)
		if i == len(line) {
			return nil, 0, false
		}
		if line[i] == ',' {
			i = skipBlanks(line, i+1)
		}
	}
}
