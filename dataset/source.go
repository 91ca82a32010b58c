package dataset

import (
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// Row is one point: its label or target, its weight, and its features that are not zero.
type Row struct {
	// Label is the class name in canonical form (see labeltext.Canonical), or "" if the row has none. Of Relevances it is the group.
	Label string
	// Target is the number to predict in regression. It is NaN if the row has none. Of Times it is the time of the event, above 0.
	// A censored row has minus the time up to which no event was seen, or 0 if nothing was seen before Upper: the event came later, or never.
	Target float64
	// Upper is the time at which the event of a censored row had come. It is 0 if that is not known, and for all other rows.
	Upper float64
	// Weight multiplies the loss of the row. The zero value means 1.
	Weight float64
	// Index lists the 0-based features, strictly ascending. Features that it leaves out are zero.
	Index []int32
	// Value holds the finite value of each feature of Index, or NaN for one that is missing where values may be
	// missing; see StoreOptions.Impute.
	Value []float64
	// Names holds the words that name the row in its table, such as the number of a patient, for readers that ask for
	// them: the name of a column and its word. It is nil for all other rows. Like Index it is valid until the next row.
	Names [][2]string
	// File names the origin of the row in messages, and is "" if that is unknown.
	File string
	// Line is the 1-based line in File, or 0 if that is unknown.
	Line int
}

// Clone returns a copy of the row that stays valid when its source moves on.
func (r *Row) Clone() Row {
	c := *r
	c.Index, c.Value = slices.Clone(r.Index), slices.Clone(r.Value)
	c.Names = slices.Clone(r.Names)
	for k := range c.Names {
		c.Names[k][1] = strings.Clone(c.Names[k][1])
	}
	return c
}

// Source yields rows one after the other. Next returns io.EOF after the last row. The slices of a
// row are valid until the following call of Next.
type Source interface {
	Next() (Row, error)
}

// SeqSource is a Source that takes its rows from a Go iterator.
type SeqSource struct {
	next func() (Row, bool)
	stop func()
}

var _ interface {
	Source
	io.Closer
} = (*SeqSource)(nil)

// FromSeq makes a source of a Go iterator. The iterator runs as a coroutine (see iter.Pull), so a
// caller that stops before io.EOF must call Close to let it end.
func FromSeq(seq iter.Seq[Row]) *SeqSource {
	next, stop := iter.Pull(seq)
	return &SeqSource{next, stop}
}

// Next returns the next row of the iterator, or io.EOF after the last one.
func (s *SeqSource) Next() (Row, error) {
	row, ok := s.next()
	if !ok {
		return Row{}, io.EOF
	}
	return row, nil
}

// Close ends the iterator. Next returns io.EOF from then on.
func (s *SeqSource) Close() error {
	s.stop()
	return nil
}

type limited struct {
	Source
	left int
}

// Limit returns a source of the first n rows of s, or of all rows if n <= 0. It never reads beyond
// the last row that it yields. The owner of s still has to close it.
func Limit(s Source, n int) Source {
	if n <= 0 {
		return s
	}
	return &limited{s, n}
}

func (l *limited) Next() (Row, error) {
	if l.left == 0 {
		return Row{}, io.EOF
	}
	row, err := l.Source.Next()
	if err == nil {
		l.left--
	}
	return row, err
}

// check returns an error for a row that a Reader never yields but another source may: indices that
// do not ascend or exceed 2^31-2, values that are not finite, or a negative weight. The rest of the
// package relies on it and does not check again. It costs a few nanoseconds for each non-zero.
//
// A value that is NaN is missing, where values may be missing.
func (r *Row) check(missing bool) error {
	if len(r.Index) != len(r.Value) {
		return r.fault("%d indices but %d values", len(r.Index), len(r.Value))
	}
	last := int32(-1)
	for i, j := range r.Index {
		if j <= last {
			return r.fault("feature %d after feature %d: indices must be ascending from 1",
				int64(j)+1, int64(last)+1)
		}
		last = j
		if !float.Finite(r.Value[i]) {
			if math.IsNaN(r.Value[i]) {
				if missing {
					continue
				}
				return r.lacks(i)
			}
			return r.fault("feature %d is %v", int64(j)+1, r.Value[i])
		}
	}
	// Its 1-based number, and so the number of features, would not fit an int32.
	if last == math.MaxInt32 {
		return r.fault("feature index above %d", math.MaxInt32)
	}
	if r.Weight < 0 || !float.Finite(r.Weight) {
		return r.fault("weight %v: weights are positive and finite", r.Weight)
	}
	return nil
}

// lacks returns the error for the missing i-th value.
func (r *Row) lacks(i int) error {
	return r.fault("the value of feature %d is missing", int64(r.Index[i])+1).WithHint("%s", ImputeHint)
}

func (r *Row) fault(format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At(r.File, r.Line, 0)
}
