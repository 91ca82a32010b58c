package dataset

import (
	"errors"

	"bigmkl/internal/fail"
)

func badToken(b []byte, start int, format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At("", 0, start+1)
}

// setColumn sets the column of an error of this package.
func setColumn(err error, column int) error {
	if e, ok := err.(*fail.Error); ok {
		e.Column = column
	}
	return err
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

func skipBlanks(b []byte, i int) int {
	for i < len(b) && blank(b[i]) {
		i++
	}
	return i
}

func tokenEnd(b []byte, i int) int {
	for i < len(b) && !blank(b[i]) {
		i++
	}
	return i
}

// setPlace adds file and line of a row to an error of the parser, which knows only the column.
func setPlace(err error, row *Row) error {
	var e *fail.Error
	if errors.As(err, &e) {
		return e.At(row.File, row.Line, e.Column)
	}
	return err
}

// shiftColumn adds the number of bytes before a piece of text to the column of an error in it.
func shiftColumn(err error, before int) error {
	if e, ok := err.(*fail.Error); ok {
		e.Column += before
	}
	return err
}

// clip quotes a piece of the user's data for a message, and cuts it short.
func clip[T ~string | ~[]byte](s T) string { return fail.Word(s) }
