package table

import (
	"errors"
	"math"
	"strings"
	"unsafe"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// encoder turns records into rows.
type encoder struct {
	*tables
	labeler *dataset.Labeler
	unknown unknownWords
	index   []int32
	value   []float64
	letters []int32 // letters and codes hold one sequence.
	codes   []float64
	names   [][2]string
}

// encode turns a record into a row. Its memory is used again for the following one.
func (s *encoder) encode(record []string, row *dataset.Row) error {
	p, r := s.plan, s.records
	// A row is valid until the following one alone, so its memory is used again.
	s.index, s.value = s.index[:0], s.value[:0]
	row.File = r.stream.Name()
	row.Line, _ = r.place(0)
	// The columns are taken in the order of the model, so indices ascend in whatever order the
	// table has them.
	for k, at := range p.at {
		field := record[at]
		if field == "0" && p.plain[k] && s.options.NA == nil { // The most frequent number is not an entry.
			continue
		}
		field = trim(field)
		if f := &p.columns.Features[k]; f.Letters != dataset.Numbers {
			if err := s.sequence(k, at, field); err != nil {
				return err
			}
			continue
		}
		if places := p.categories[k]; places != nil {
			// A word such as NA is a category where --categories has made it one, so the table of
			// categories is asked before the list of words for missing values.
			place, ok := places[field]
			if !ok && s.options.missing(field) {
				if err := s.missing(k, at); err != nil {
					return err
				}
				continue
			}
			// In a training from a file all words are known. A new one can only come from a pipe.
			if !ok && s.options.Columns == nil {
				return r.fault(at, "the word %s of column %s is not among the first %d rows",
					fail.Word(field), s.name(k), SampleRows).
					WithHint("a file in place of a pipe is read for its categories first")
			}
			// To a model a new word is none of the categories: all of their features are 0. Rejecting
			// the row would make a model useless on data with one new word.
			if !ok {
				s.unknown.add(field, s.name(k))
				continue
			}
			s.add(p.first[k]+place, 1)
			continue
		}
		v, ok := s.options.number(field)
		if !ok && missing(field) || s.options.marked(field) {
			if err := s.missing(k, at); err != nil {
				return err
			}
			continue
		}
		if !ok {
			return s.noNumber(k, at, field)
		}
		// Zeros are not entries, as in libsvm text, or the same numbers would make other models.
		if v != 0 {
			s.add(p.first[k], v)
		}
	}
	row.Index, row.Value = s.index, s.value
	s.setNames(record, row)
	s.labeler.Clear(row)
	if p.label < 0 {
		return nil
	}
	// A row without a label can be predicted. A training rejects it, with this place.
	label, err := p.labelOf(record, &s.options, r)
	if err != nil || label == "" {
		return err
	}
	if p.group >= 0 && s.options.Labels == dataset.Relevances {
		if word := strings.TrimSpace(record[p.group]); !s.options.unlabelled(word) {
			label += ":" + word
		}
	}
	err = s.labeler.Set(row, []byte(label))
	if e := (*fail.Error)(nil); errors.As(err, &e) {
		line, column := r.place(p.label)
		return e.At(row.File, line, column)
	}
	return err
}

// setNames sets the names of a row, if the options ask for them.
func (s *encoder) setNames(record []string, row *dataset.Row) {
	if !s.options.Names {
		return
	}
	s.names = s.names[:0]
	for _, c := range s.plan.left {
		s.names = append(s.names, [2]string{c.name, trim(record[c.at])})
	}
	row.Names = s.names
}

// sequence adds the letters of a field of column k of the features. Letters without a code are
// not entries, as other zeros are not.
func (s *encoder) sequence(k, at int, field string) (err error) {
	f := &s.plan.columns.Features[k]
	if field == "" {
		return s.lacks(k, at).WithHint("leave the rows out")
	}
	if len(field) > f.Length {
		e := s.records.fault(at, "%d letters of column %s, and %d are the most that were found "+
			"before", len(field), s.name(k), f.Length)
		if s.options.Columns == nil {
			return e.WithHint("a file in place of a pipe is read for its longest sequence first")
		}
		return e.WithHint("the model was trained on shorter sequences")
	}
	s.letters, s.codes, err = f.Letters.Sequence(unsafe.Slice(unsafe.StringData(field),
		len(field)), s.letters[:0], s.codes[:0])
	if e := (*fail.Error)(nil); errors.As(err, &e) {
		line, column := s.records.place(at)
		return e.At(s.records.stream.Name(), line, column+e.Column-1)
	}
	for i, code := range s.codes {
		if code != 0 {
			s.add(s.plan.first[k]+i, code)
		}
	}
	return err
}

// trim removes the blanks around a field. Most fields have none, which their ends show.
func trim(field string) string {
	// Less 0x21, a blank and the bytes from 0x80 on, which may begin one beyond ASCII, are 0x5f or
	// more.
	const first, ascii = '!', 0x80 - '!'
	if n := len(field); n == 0 || field[0]-first < ascii && field[n-1]-first < ascii {
		return field
	}
	return strings.TrimSpace(field)
}

func (s *encoder) add(j int, v float64) {
	s.index, s.value = append(s.index, int32(j)), append(s.value, v)
}

// name returns the name of a column of features for messages.
func (s *encoder) name(k int) string { return fail.Label(s.columns.Features[k].Name) }

// missing adds the features of a field without a value, of column k. A number is NaN, and a category none of
// the words. It returns an error where no value may be missing.
func (s *encoder) missing(k, at int) error {
	if !dataset.Imputes(s.options.Impute) {
		return s.lacks(k, at).WithHint("%s", dataset.ImputeHint)
	}
	f, first := &s.plan.columns.Features[k], s.plan.first[k]
	if f.Categories == nil {
		s.add(first, math.NaN())
	}
	if f.Missing {
		s.add(first+f.Width()-1, 1)
	}
	return nil
}

// lacks returns the error for a field without a value, of column k of the features.
func (s *encoder) lacks(k, at int) *fail.Error {
	return s.records.fault(at, "the value of column %s is missing", s.name(k))
}

// noNumber returns the error for a word in a column of numbers. A model has decided what the
// columns are, so the hint is for trainings.
func (s *encoder) noNumber(k, at int, field string) error {
	e := s.records.fault(at, "%s of column %s is not a plain decimal number", fail.Word(field),
		s.name(k))
	if hint := s.options.formOf(field).hint(s.columns.Features[k].Name); hint != "" {
		first, _, _ := strings.Cut(hint, ";") // A model has decided what is left out.
		return e.WithHint("%s", first)
	}
	if s.options.Columns == nil {
		e = e.WithHint("--categories %s if the column has words; the first %d rows have none",
			s.name(k), SampleRows)
	}
	return e
}
