package dataset

import (
	"bigmkl/internal/fail"
	"errors"
)

func badToken(b []byte, start int, format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At("", 0, start+1)
}

// at gives an error of this package its column.
func at(err error, column int) error {
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

// place completes an error of the parser.
func place(err error, row *Row) error {
	var e *fail.Error
	if errors.As(err, &e) {
		return e.At(row.File, row.Line, e.Column)
	}
	return err
}

// moved moves the column of an error by what stands before.
func moved(err error, before int) error {
	if e, ok := err.(*fail.Error); ok {
		e.Column += before
	}
	return err
}

// clip quotes what a message shows of the user's data.
func clip[T ~string | ~[]byte](s T) string { return fail.Word(s) }
