package dataset

import (
	"io"
	"iter"
	"math"

	"bigmkl/internal/fail"
)

// Row is one point.
type Row struct {
	Label  string    // class name, canonical (see CanonicalLabel); "" when the row has none
	Target float64   // of regression, where labels are numbers; NaN when the row has none
	Weight float64   // factor of the row's loss; 0, as in a row made by hand, means 1
	Index  []int32   // 0-based features, strictly ascending; those left out are zero
	Value  []float64 // of the same length as Index, finite
	File   string    // where the row came from, for messages; "" if unknown
	Line   int       // 1-based, 0 if unknown
}

// Source yields rows; after the last one Next returns io.EOF. The slices of a row are valid until the following call.
type Source interface {
	Next() (Row, error)
}

// SeqSource is a Source over a Go iterator.
type SeqSource struct {
	next func() (Row, bool)
	stop func()
}

// FromSeq makes a source of a Go iterator. The iterator runs as a coroutine (see iter.Pull): whoever stops before
// io.EOF calls Close, which lets it end.
func FromSeq(seq iter.Seq[Row]) *SeqSource {
	next, stop := iter.Pull(seq)
	return &SeqSource{next, stop}
}

// Next returns the iterator's next row.
func (s *SeqSource) Next() (Row, error) {
	row, ok := s.next()
	if !ok {
		return Row{}, io.EOF
	}
	return row, nil
}

// Close ends the iterator; Next then returns io.EOF.
func (s *SeqSource) Close() error {
	s.stop()
	return nil
}

type limited struct {
	Source
	left int
}

// Limit yields the first n rows of s; n <= 0 means all of them. It does not read beyond the last row it yields, and
// closing s remains its owner's task.
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

// check finds what a Reader never yields but a source of someone else's may. It costs a few nanoseconds per non-zero and
// is what the rest of the package relies on instead of checking again: indices below 2^31-1 in ascending order, finite
// values, a weight that is zero or positive.
func (r *Row) check() error {
	if len(r.Index) != len(r.Value) {
		return r.fault("%d indices but %d values", len(r.Index), len(r.Value))
	}
	last := int32(-1)
	for i, j := range r.Index {
		if j <= last {
			return r.fault("feature %d after feature %d: indices must be ascending from 1", int64(j)+1, int64(last)+1)
		}
		last = j
		if !finite(r.Value[i]) {
			return r.fault("feature %d is %v", int64(j)+1, r.Value[i])
		}
	}
	if last == math.MaxInt32 { // its 1-based number, and so the number of features, would not fit
		return r.fault("feature index above %d", math.MaxInt32)
	}
	if r.Weight < 0 || !finite(r.Weight) {
		return r.fault("weight %v: weights are positive and finite", r.Weight)
	}
	return nil
}

func (r *Row) fault(format string, args ...any) *fail.Error {
	return fail.New(fail.Input, format, args...).At(r.File, r.Line, 0)
}

// finite is false for NaN and the infinities: their difference with themselves is NaN.
func finite(x float64) bool { return x-x == 0 }
