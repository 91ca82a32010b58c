package dataset

import (
	"io"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
)

// weights reads one positive number a row from a text file.
type weights struct {
	*text
	column int // 1-based
}

// splitWeights takes FILE or FILE:COLUMN apart.
func splitWeights(spec string) (path string, column int, err error) {
	i := strings.LastIndexByte(spec, ':')
	if i < 0 || i+1 == len(spec) || !allDigits(spec[i+1:]) {
		return spec, 1, nil
	}
	column, err = strconv.Atoi(spec[i+1:])
	if err != nil || column < 1 {
		return "", 0, fail.New(fail.Usage, "weights %q: columns count from 1", spec)
	}
	return spec[:i], column, nil
}

func openWeights(spec string, trusted bool) (*weights, error) {
	path, column, err := splitWeights(spec)
	if err != nil {
		return nil, err
	}
	t, err := openText(path, trusted)
	if err != nil {
		return nil, err
	}
	return &weights{t, column}, nil
}

// next returns the next row's weight, or io.EOF.
func (w *weights) next() (float64, error) {
	for {
		line, err := w.text.next()
		if err != nil {
			return 0, err
		}
		start := skipBlanks(line, 0)
		if start == len(line) || line[start] == '#' {
			continue
		}
		field, at, ok := column(line, w.column)
		if !ok {
			return 0, w.bad(start, "no column %d", w.column)
		}
		v, end := number(field, 0)
		switch {
		case end != len(field):
			return 0, w.bad(at, "weight %s is not a finite decimal number", clip(field)).
				WithHint("lines that start with # are skipped")
		case v <= 0:
			return 0, w.bad(at, "weight %s is not positive", clip(field))
		}
		return v, nil
	}
}

// drained makes sure that no weight is left over.
func (w *weights) drained(rows int) error {
	_, err := w.next()
	if err == io.EOF {
		return nil
	}
	if err == nil {
		err = w.bad(0, "more weights than the %d rows of the data", rows)
	}
	return err
}

func (w *weights) bad(at int, format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At(w.name, w.number, at+1)
}

// column finds the k-th field of a line. Fields are separated by blanks, or by a comma with or without blanks around it;
// two commas have an empty field between them, so that a gap does not shift the columns.
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
