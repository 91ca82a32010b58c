package dataset

import (
	"cmp"
	"io"
	"unsafe"
)

// Join returns a reader of the rows of src that takes labels and weights from the files of the
// options, in step with the rows. Messages about input without a row call it by the given name.
// Closing the reader closes src, if that can be closed. Errors are the errors of Open.
func Join(src Source, name string, o ReadOptions) (*Reader, error) {
	r, err := newReader(o)
	if err != nil {
		return nil, err
	}
	r.joined, r.name = src, name
	return r, nil
}

// join sets row to the next row of the source, with label and weight from their files.
func (r *Reader) join(row *Row) error {
	next, err := r.joined.Next()
	if err == io.EOF {
		return r.finish()
	}
	if err != nil {
		return err
	}
	*row = next
	row.Weight = cmp.Or(row.Weight, 1)
	if err := r.label(row); err != nil {
		return err
	}
	return r.weigh(row)
}

// Labeler enters labels in rows as a Reader of text does. Other formats so give the same classes,
// sets and targets for the same words. A Labeler remembers words and belongs to one goroutine.
type Labeler struct{ p parser }

// NewLabeler returns a labeler for labels of a kind.
func NewLabeler(kind Labeling) *Labeler { return &Labeler{parser{labeling: kind, word: true}} }

// Clear sets label and target of a row to what a row without a label has.
func (l *Labeler) Clear(row *Row) { l.p.clearLabel(row) }

// Labelled reports whether a row has a label or a target.
func (l *Labeler) Labelled(row *Row) bool { return l.p.hasLabel(row) }

// Set sets label or target of a row to the meaning of a word. A word that is no label gives an
// error of class fail.Input without a place.
func (l *Labeler) Set(row *Row, word []byte) error {
	if len(word) == 0 {
		l.Clear(row)
		return nil
	}
	return setColumn(l.p.label(word, 0, len(word), row), 0)
}

// ParseNumber parses a plain decimal number, as values in text are written. It returns ok = false
// for anything else and for numbers beyond a float64.
func ParseNumber(s string) (v float64, ok bool) {
	v, end := number(unsafe.Slice(unsafe.StringData(s), len(s)), 0)
	return v, end == len(s)
}
