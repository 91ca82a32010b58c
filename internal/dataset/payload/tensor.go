package payload

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"strconv"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/npy"
	"bigmkl/internal/fail"
)

// Tensor is a tensor of the Open Inference Protocol: rows x features of FP32 or FP64, or texts of a datatype BYTES.
type Tensor struct {
	Datatype string
	Shape    []int64
	// Data holds the elements as an array of JSON, flat or an array for each row. It is nil if they are in Binary, as
	// they lie in memory, lowest byte first; a text has its length before it, in four bytes.
	Data   json.RawMessage
	Binary []byte
}

// Tensor returns the rows of a tensor. A model of sequences takes one text of each row, and every other model as many numbers
// as it has features.
func (f *Form) Tensor(t Tensor) (*Rows, error) {
	size, want := map[string]int{"FP32": 4, "FP64": 8}[t.Datatype], f.Features
	if f.Sequences != dataset.Numbers {
		want = 1
		if len(t.Shape) == 1 {
			t.Shape = []int64{t.Shape[0], 1}
		}
	}
	switch {
	case (f.Sequences == dataset.Numbers) != (size > 0) || size == 0 && t.Datatype != "BYTES":
		return nil, fail.New(fail.Input, "the tensor has the datatype %s, which the model does not take", fail.Label(t.Datatype)).
			WithHint("FP32 or FP64, and BYTES for sequences")
	case len(t.Shape) != 2 || t.Shape[1] != int64(want) || t.Shape[0] < 0:
		return nil, fail.New(fail.Input, "the tensor has the shape %v, and the model takes rows x %d", t.Shape[:min(len(t.Shape), 8)], want)
	case t.Shape[0] > int64(f.Most):
		return nil, fail.New(fail.Budget, "a request has at most %d rows", f.Most).WithHint("send several requests")
	}
	rows := int(t.Shape[0])
	switch {
	case t.Data == nil && size > 0:
		return f.array(&npy.Array{Kind: 'f', Dims: 2, Rows: rows, Cols: want, Size: size, Bytes: int64(rows) * int64(want) * int64(size)}, t.Binary)
	case t.Data == nil:
		return f.texts(rows, t.Binary), nil
	case !is(t.Data, '['):
		return nil, fail.New(fail.Input, "the data of the tensor are no array")
	}
	return f.elements(rows, want, 8*size, t.Data), nil
}

// texts returns the rows of texts with their lengths before them.
func (f *Form) texts(rows int, data []byte) *Rows {
	s := &Rows{form: f, row: dataset.Row{File: File}}
	s.next = func() (err error) {
		if s.row.Line > rows {
			if len(data) > 0 {
				return fail.New(fail.Input, "the tensor has bytes behind its last element")
			}
			return io.EOF
		}
		if len(data) < 4 || int64(binary.LittleEndian.Uint32(data)) > int64(len(data)-4) {
			return s.fault("the tensor ends within an element")
		}
		n := 4 + int(binary.LittleEndian.Uint32(data))
		text := data[4:n]
		data = data[n:]
		s.row.Index, s.row.Value, err = f.Sequences.Sequence(text, s.row.Index, s.row.Value)
		return s.at(err)
	}
	return s
}

// elements returns the rows of an array of JSON, of numbers with so many bits or, if bits is 0, of texts. raw is valid JSON.
func (f *Form) elements(rows, cols, bits int, raw []byte) *Rows {
	s := &Rows{form: f, row: dataset.Row{File: File}}
	c := cursor{raw: raw[1 : len(raw)-1]}
	s.next = func() error {
		s.values = s.values[:0]
		if s.row.Line > rows {
			if len(c.peek()) > 0 {
				return fail.New(fail.Input, "the tensor has more elements than its shape")
			}
			return io.EOF
		}
		nested := is(c.peek(), '[')
		if nested {
			c.raw = c.raw[1:]
		}
		for range cols {
			word := c.element()
			if err := s.addElement(word, bits); err != nil {
				return err
			}
		}
		if nested && !c.close() {
			return s.fault("the row has more than %d elements", cols)
		}
		if bits == 0 {
			return nil
		}
		return s.addDense()
	}
	return s
}

// addElement adds a number, or the letters of a text, to the latest row.
func (s *Rows) addElement(word []byte, bits int) (err error) {
	if len(word) == 0 {
		return s.fault("the row has fewer elements than the shape says, or some that are neither numbers nor texts")
	}
	if bits == 0 {
		var text string
		if !is(word, '"') || json.Unmarshal(word, &text) != nil || text == "" {
			return s.fault("the element is no text with letters")
		}
		s.row.Index, s.row.Value, err = s.form.Sequences.Sequence([]byte(text), s.row.Index, s.row.Value)
		return s.at(err)
	}
	v, ok := s.number(word)
	if bits == 32 && ok && !math.IsNaN(v) {
		// The nearest float32 of the decimal, which may differ from that of the nearest float64.
		v, err = strconv.ParseFloat(string(word), bits)
		ok = err == nil
	}
	if !ok {
		return s.fault("%s is no finite number of the datatype", fail.Word(word))
	}
	s.values = append(s.values, v)
	return nil
}

// cursor walks over the elements of a valid array of JSON.
type cursor struct{ raw []byte }

// peek returns what is left, without blanks and commas before it.
func (c *cursor) peek() []byte {
	c.raw = bytes.TrimLeft(c.raw, " \t\r\n,")
	return c.raw
}

// element takes the next element: a text with its quotes, or what precedes a comma, a bracket or a blank. It is empty at the
// end of an array.
func (c *cursor) element() []byte {
	rest := c.peek()
	n := 0
	if is(rest, '"') {
		for n = 1; n < len(rest) && rest[n] != '"'; n++ {
			if rest[n] == '\\' {
				n++
			}
		}
		n = min(n+1, len(rest))
	} else if n = bytes.IndexAny(rest, " \t\r\n,[]{}"); n < 0 {
		n = len(rest)
	}
	c.raw = rest[n:]
	return rest[:n]
}

// close takes the bracket that ends a row, if that is next.
func (c *cursor) close() bool {
	rest := c.peek()
	if !is(rest, ']') {
		return false
	}
	c.raw = rest[1:]
	return true
}
