package dataset

import (
	"io"
	"math"
	"slices"
	"strconv"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// A row may lack a view: an experiment that was not made, a picture that was not taken. That is a
// fact about the row, and zeros in the place of the features do not show it. Rows therefore get a
// feature more for each view, behind the features of all views: its flag. It is 0 in a row that has the
// view. In training row i, counted from 1, that lacks it the flag is i/2^22, so two flags are equal
// where the rows are the same; in any other row that lacks it the flag is -1. Being features, flags are
// stored, copied, packed and written to models as the rest of a row is. They are not scaled, and no
// kernel takes them for features.

// MissingEmpty is the text for this rule: a row without a non-zero feature of a view lacks it.
const MissingEmpty = "empty"

// mostFlagged is the largest number of rows that flags can number, in steps that float32
// distinguishes even times a common factor. Divided by it flags are at most 1, which no sum of
// squares notices.
const mostFlagged = 1 << 22

// Missing holds which rows lack which views. The zero value and nil report that none does.
type Missing struct {
	empty bool
	// lacks lists row and view of each line of a file, ascending and distinct, both from 0.
	lacks []lack
	path  string
}

type lack struct{ row, view int32 }

// ReadMissing reads a text of missing views: MissingEmpty, or a file with lines of the form "row
// view", rows from 1. Blank lines and lines that start with # are ignored. An empty text gives
// nil. Faults are of class fail.Input and name the line.
func ReadMissing(text string, views []View) (*Missing, error) {
	switch text {
	case "":
		return nil, nil
	case MissingEmpty:
		return &Missing{empty: true}, nil
	}
	t, err := openText(text, false)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	number := make(map[string]int32, len(views))
	for v := len(views) - 1; v >= 0; v-- {
		number[views[v].Name] = int32(v)
	}
	m := &Missing{path: t.name}
	for {
		line, err := t.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		word, rest := field(line)
		if len(word) == 0 || word[0] == '#' {
			continue
		}
		l, err := parseLack(word, rest, number)
		if err != nil {
			return nil, setPlace(err, &Row{File: t.name, Line: t.number})
		}
		m.lacks = append(m.lacks, l)
	}
	slices.SortFunc(m.lacks, func(a, b lack) int {
		if a.row != b.row {
			return int(a.row) - int(b.row)
		}
		return int(a.view) - int(b.view)
	})
	m.lacks = slices.Compact(m.lacks)
	return m, nil
}

// parseLack parses a line of a file of missing views.
func parseLack(word, rest []byte, number map[string]int32) (lack, error) {
	row, err := strconv.Atoi(string(word))
	if err != nil || row < 1 || row > math.MaxInt32 || !labeltext.AllDigits(string(word)) {
		return lack{}, fail.New(fail.Input, "row %s is not an integer from 1 to %d", clip(word),
			math.MaxInt32)
	}
	name, rest := field(rest)
	if more, _ := field(rest); len(name) == 0 || len(more) > 0 {
		return lack{}, fail.New(fail.Input, "a missing view is a row and the name of a view")
	}
	v, ok := number[string(name)]
	if !ok {
		return lack{}, fail.New(fail.Input, "there is no view %s", clip(name))
	}
	return lack{int32(row - 1), v}, nil
}

// Flags returns the number of the first flag, which is the number of features that views reach
// to.
func Flags(views []View) (first int) {
	for _, v := range views {
		first = max(first, v.Last)
	}
	return first
}

// flagged is a source whose rows have flags.
type flagged struct {
	src     Source
	views   []View
	first   int // number of the first flag
	missing *Missing
	number  bool // flags are the numbers of the rows
	row     int  // number of the next row, from 0
	at      int  // place in missing.lacks
	index   []int32
	value   []float64
}

// WithFlags returns a source of the rows of src with the flags of views that they lack. training
// means that they are the rows of a training, which are numbered from its first. m nil means that no
// row lacks a view. A row with a feature behind the features of the views, or with more rows before
// it than flags can number, is of class fail.Input; so is a line of the file that names a row behind
// the last. The owner of src still has to close it.
func WithFlags(src Source, views []View, m *Missing, training bool) Source {
	if m == nil {
		m = &Missing{}
	}
	return &flagged{src: src, views: views, first: Flags(views), missing: m, number: training}
}

// Next implements Source.
func (f *flagged) Next() (Row, error) {
	row, err := f.src.Next()
	if err == io.EOF && f.at < len(f.missing.lacks) {
		return row, fail.New(fail.Input, "row %d lacks a view, and the data have %d rows",
			f.missing.lacks[f.at].row+1, f.row).At(f.missing.path, 0, 0)
	}
	if err != nil {
		return row, err
	}
	if n := len(row.Index); n > 0 && int(row.Index[n-1]) >= f.first {
		return row, row.fault("feature %d, and views end at feature %d", int64(row.Index[n-1])+1, f.first).
			WithHint("rows that may lack a view have no features outside of the views")
	}
	// The slices of src are its own, and hold no flags.
	f.index, f.value = append(f.index[:0], row.Index...), append(f.value[:0], row.Value...)
	if f.missing.empty {
		for v, view := range f.views {
			if !reaches(&row, view) {
				f.flag(v)
			}
		}
	}
	for ; f.at < len(f.missing.lacks) && int(f.missing.lacks[f.at].row) == f.row; f.at++ {
		f.flag(int(f.missing.lacks[f.at].view))
	}
	if f.row++; f.number && f.row > mostFlagged {
		return row, row.fault("more than %d rows that may lack a view", mostFlagged)
	}
	row.Index, row.Value = f.index, f.value
	return row, nil
}

// flag sets the flag of view v of the row in hand. Views come in their order.
func (f *flagged) flag(v int) {
	x := -1.0
	if f.number {
		x = float64(f.row+1) / mostFlagged
	}
	f.index, f.value = append(f.index, int32(f.first+v)), append(f.value, x)
}

// reaches reports whether a row has a non-zero feature of the view.
func reaches(r *Row, v View) bool {
	at, _ := slices.BinarySearch(r.Index, int32(v.First-1))
	for ; at < len(r.Index) && int(r.Index[at]) < v.Last; at++ {
		if r.Value[at] != 0 {
			return true
		}
	}
	return false
}
