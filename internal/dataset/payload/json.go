package payload

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"strings"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// JSON returns the rows of {"rows": [..]}.
func (f *Form) JSON(body []byte) (*Rows, error) {
	var request struct{ Rows json.RawMessage }
	if err := decodeStrictly(body, &request); err != nil {
		return nil, err
	}
	if !is(request.Rows, '[') {
		return nil, fail.New(fail.Input, "the key rows is missing or no array")
	}
	s := &Rows{form: f, row: dataset.Row{File: File}}
	d, raw := json.NewDecoder(bytes.NewReader(request.Rows)), json.RawMessage{}
	_, err := d.Token() // the bracket before the first row
	s.next = func() error {
		if !d.More() {
			return io.EOF
		}
		if err := d.Decode(&raw); err != nil {
			return s.fault("this is not the JSON of rows: %s", fail.Decoding(err))
		}
		return s.decodeRow(raw)
	}
	return s, err
}

// decodeStrictly decodes one object without unknown keys, and nothing behind it.
func decodeStrictly(text []byte, to any) error {
	if !is(bytes.TrimSpace(text), '{') {
		return fail.New(fail.Input, "this is no object of JSON")
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if err == nil && len(bytes.TrimSpace(text[d.InputOffset():])) > 0 {
		return fail.New(fail.Input, "something follows the object")
	}
	if err != nil {
		return fail.New(fail.Input, "this is not the JSON of rows: %s", fail.Decoding(err))
	}
	return nil
}

// is reports whether valid JSON begins with a byte, which identifies its type.
func is(raw []byte, first byte) bool { return len(raw) > 0 && raw[0] == first }

// decodeRow decodes a row: a sequence, all of its features, some of them, or columns by name.
func (s *Rows) decodeRow(raw []byte) (err error) {
	sequences := s.form.Sequences
	switch {
	case sequences != dataset.Numbers:
		var text string
		if !is(raw, '"') || json.Unmarshal(raw, &text) != nil || text == "" {
			return s.fault("the model is of sequences, and this row is no text with letters")
		}
		s.row.Index, s.row.Value, err = sequences.Sequence([]byte(text), s.row.Index, s.row.Value)
		return s.at(err)
	case is(raw, '['):
		if s.values, err = s.numbers(raw, s.values[:0]); err != nil {
			return err
		}
		return s.addDense()
	case !is(raw, '{'):
		return s.fault("a row is an array of numbers or an object with index and value, or columns")
	}
	return s.decodeObject(raw)
}

// decodeObject decodes a row of some features, or of columns by name.
func (s *Rows) decodeObject(raw []byte) (err error) {
	var object struct{ Index, Value, Columns json.RawMessage }
	if err := decodeStrictly(raw, &object); err != nil {
		return s.at(err)
	}
	if object.Columns != nil && object.Index == nil && object.Value == nil {
		return s.addColumns(object.Columns)
	}
	if !is(object.Index, '[') || !is(object.Value, '[') || object.Columns != nil {
		return s.fault("a row has the arrays index and value, or columns")
	}
	if s.values, err = s.numbers(object.Index, s.values[:0]); err != nil {
		return err
	}
	for _, j := range s.values {
		if n := len(s.row.Index); j != float64(int32(j)) || j < 1 || n > 0 && int32(j) <= s.row.Index[n-1]+1 {
			return s.fault("index has %g, and features are whole numbers from 1 that ascend", j)
		}
		s.row.Index = append(s.row.Index, int32(j)-1)
	}
	if s.row.Value, err = s.numbers(object.Value, s.row.Value); err == nil &&
		len(s.row.Value) != len(s.row.Index) {
		return s.fault("%d indices but %d values", len(s.row.Index), len(s.row.Value))
	}
	return err
}

// at gives an error the place of the latest row.
func (s *Rows) at(err error) error {
	if e, ok := err.(*fail.Error); ok {
		return e.At(File, s.row.Line, 0)
	}
	return err
}

// numbers appends the numbers of an array, at most one more than the model has features.
func (s *Rows) numbers(raw []byte, to []float64) ([]float64, error) {
	text := bytes.TrimSpace(raw[1 : len(raw)-1])
	for len(text) > 0 && len(to) <= s.form.Features {
		word, rest, _ := bytes.Cut(text, []byte(","))
		word = bytes.TrimSpace(word)
		v, ok := s.number(word)
		if !ok {
			return to, s.fault("%s is no finite number", fail.Word(word))
		}
		to, text = append(to, v), rest
	}
	return to, nil
}

// number returns a number, NaN for null where values may be missing, and whether it is one.
func (s *Rows) number(word []byte) (float64, bool) {
	if s.form.Imputes && string(word) == "null" {
		return math.NaN(), true
	}
	return dataset.ParseNumber(string(word))
}

// addColumns makes the row of an object with a value for each column of the model.
func (s *Rows) addColumns(raw []byte) error {
	if s.form.columns == nil || !is(raw, '{') {
		return s.fault("the model has no columns with names, or columns is no object")
	}
	s.values = append(s.values[:0], make([]float64, s.form.Features)...)
	d, seen := json.NewDecoder(bytes.NewReader(raw)), map[string]bool{}
	d.UseNumber()
	d.Token() // The text is known to be a valid object, so only its numbers can fail.
	for d.More() {
		key, _ := d.Token()
		name, _ := key.(string)
		c, ok := s.form.columns[name]
		if value, err := d.Token(); err != nil || !ok || seen[name] {
			return s.fault("column %s is unknown or comes twice", fail.Label(name))
		} else if !s.addField(c, value) {
			return s.fault("the value of column %s is missing or not of its kind", fail.Label(name))
		}
		seen[name] = true
	}
	for _, f := range s.form.table {
		if !seen[f.Name] {
			return s.fault("column %s is missing", fail.Label(f.Name))
		}
	}
	return s.addDense()
}

// addField sets the features of a column, and reports whether the value is a number or word for it.
func (s *Rows) addField(c column, value json.Token) bool {
	text, isText := value.(string)
	number, _ := value.(json.Number)
	if s.form.Imputes && (value == nil || isText && strings.TrimSpace(text) == "") {
		if c.words == nil {
			s.values[c.first] = math.NaN()
		}
		if c.missing >= 0 {
			s.values[c.missing] = 1
		}
		return true
	}
	if c.words == nil {
		v, ok := dataset.ParseNumber(string(number))
		s.values[c.first] = v
		return ok
	}
	if text = strings.TrimSpace(text + string(number)); text == "" {
		return false
	}
	if k, known := c.words[text]; known {
		s.values[c.first+k] = 1
	} else {
		s.unknown++
	}
	return true
}
