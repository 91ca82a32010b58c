package packed

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// Options set how a packed store is read.
type Options struct {
	// Labels sets what labels mean.
	Labels dataset.Labeling
	// Sequences is the alphabet that is expected. A training that is not Trained yet expects
	// letters, whether there are numbers before them or not.
	Sequences dataset.Alphabet
	Trained   bool
}

// Source yields the rows of a packed store. It is a dataset.PointSource.
type Source struct {
	file *file
	// labels has the label or target of each word. A fault of a word is reported at the first row
	// that has it.
	labels  []dataset.Row
	faults  map[int32]error
	labeler *dataset.Labeler
	kind    dataset.Labeling
	rows    rows
	column  *stream // column has the labels or the targets of the rows. It is nil without any.
	targets bool
	row     int
	err     error // err is the error of the last Next. Once it is set, it stays.
	text    []byte
}

var _ interface {
	dataset.PointSource
	io.Closer
} = (*Source)(nil)

// Open opens a packed store. Damage is of class fail.Corrupt, and what does not fit the options of
// class fail.Input.
func Open(path string, o Options) (*Source, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	s := &Source{file: f, labeler: dataset.NewLabeler(o.Labels), kind: o.Labels}
	if have := f.meta.Sequences; have != o.Sequences && (o.Trained || have.Letters() != o.Sequences) {
		err = fail.New(fail.Input, "the packed store has %s, and %s are to be read",
			nameRows(have), nameRows(o.Sequences)).At(path, 0, 0).
			WithHint("string kernels and --sequences take sequences, and all others numbers")
	} else {
		err = s.readWords()
	}
	if err != nil {
		f.f.Close()
		return nil, err
	}
	return s, nil
}

func nameRows(a dataset.Alphabet) string {
	if a == dataset.Numbers {
		return "numbers"
	}
	if n := a.Before(); n > 0 {
		return strconv.Itoa(n) + " numbers beside sequences of " + string(a.Letters())
	}
	return "sequences of " + string(a)
}

// readWords reads the different labels.
func (s *Source) readWords() error {
	f := s.file
	if f.sections[targetsSection] != nil {
		s.targets = true
		return nil
	}
	if f.sections[wordsSection] == nil || s.kind == dataset.Ignored {
		return nil
	}
	b, err := f.readAll(f.sections[wordsSection])
	if err != nil {
		return err
	}
	s.faults = map[int32]error{}
	for k := range f.meta.Words {
		if len(b) < 4 {
			return f.damaged("it has fewer labels than it says")
		}
		n := int64(binary.LittleEndian.Uint32(b))
		if b = b[4:]; n > int64(len(b)) {
			return f.damaged("a label of %d bytes", n)
		}
		var row dataset.Row
		if err := s.labeler.Set(&row, b[:n]); err != nil {
			s.faults[int32(k)] = err
		}
		s.labels = append(s.labels, row)
		b = b[n:]
	}
	if len(b) > 0 {
		return f.damaged("it has more labels than it says")
	}
	return nil
}

// Columns returns the columns of the table that was packed, or nil.
func (s *Source) Columns() *dataset.Columns { return s.file.meta.Columns }

// Views returns the views that the data had when they were packed, or nil.
func (s *Source) Views() []dataset.View { return s.file.meta.Views }

// Width implements dataset.PointSource.
func (s *Source) Width(rows int) int {
	if rows != s.file.meta.Rows {
		return 0
	}
	return s.file.meta.Features
}

// Next returns the next row, or io.EOF after the last one.
func (s *Source) Next() (dataset.Row, error) {
	if s.err != nil {
		return dataset.Row{}, s.err
	}
	row := dataset.Row{Weight: 1, File: s.file.path, Line: s.row + 1}
	if s.err = s.read(&row); s.err != nil {
		return dataset.Row{}, s.err
	}
	s.row++
	return row, nil
}

// read sets row to the next row.
func (s *Source) read(row *dataset.Row) error {
	if s.rows == nil {
		s.rows = s.file.newRows()
		switch {
		case s.kind == dataset.Ignored:
		case s.targets:
			s.column = s.file.stream(targetsSection)
		case s.labels != nil || s.file.sections[labelsSection] != nil:
			s.column = s.file.stream(labelsSection)
		}
	}
	if s.row == s.file.meta.Rows {
		if err := s.file.end(); err != nil {
			return err
		}
		return io.EOF
	}
	if err := s.rows.next(s.row, row); err != nil {
		return err
	}
	s.labeler.Clear(row)
	switch {
	case s.column == nil:
		return nil
	case s.targets:
		b, err := s.column.bytes(8)
		if err != nil {
			return err
		}
		return s.setTarget(row, float64At(b, 0))
	}
	b, err := s.column.bytes(4)
	if err != nil {
		return err
	}
	return s.setLabel(row, int32(binary.LittleEndian.Uint32(b)))
}

// setLabel sets the label of a row to the word at a place, or to none at place -1.
func (s *Source) setLabel(row *dataset.Row, place int32) error {
	if place == -1 {
		return nil
	}
	if place < 0 || int(place) >= len(s.labels) {
		return s.file.damaged("row %d has label %d of %d", row.Line, place, len(s.labels))
	}
	if err := s.faults[place]; err != nil {
		return placed(err, row)
	}
	row.Label, row.Target, row.Upper = s.labels[place].Label, s.labels[place].Target, s.labels[place].Upper
	return nil
}

// setTarget sets the label of a row to a target, unless that is NaN. It goes through the parser of
// text, so a target that is an integer may be a class.
func (s *Source) setTarget(row *dataset.Row, target float64) error {
	switch {
	case math.IsNaN(target):
		return nil
	case math.IsInf(target, 0):
		return s.file.damaged("row %d has the target %v", row.Line, target)
	case s.kind.Numeric():
		row.Target = target
		return nil
	}
	s.text = strconv.AppendFloat(s.text[:0], target, 'g', -1, 64)
	return placed(s.labeler.Set(row, s.text), row)
}

// placed adds file and row to an error of a label.
func placed(err error, row *dataset.Row) error {
	if e := (*fail.Error)(nil); errors.As(err, &e) {
		at := *e // Rows of the same word share the error.
		return at.At(row.File, row.Line, 0)
	}
	return err
}

// Close closes the file. Points that were mapped stay.
func (s *Source) Close() error {
	if s.err == nil {
		s.err = io.EOF
	}
	return s.file.f.Close()
}
