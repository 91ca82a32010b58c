package npy

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
)

const (
	magic     = "\x93NUMPY"
	maxHeader = 1 << 16
)

// header is what the header of a .npy file says.
type header struct {
	rows, cols int
	size       int // size is the size of an element in bytes, 4 or 8.
	big        bool
	fortran    bool
	vector     bool // vector is true for an array of one dimension, which becomes a row.
	offset     int  // offset is that of the first element.
}

// parseHeader parses the header at the start of a file. The argument start holds up to maxHeader+12
// bytes, and size is the size of the file.
func parseHeader(start []byte, size int64) (*header, error) {
	if len(start) < 10 || string(start[:6]) != magic {
		return nil, errors.New("this is no .npy file")
	}
	var length, at int
	switch start[6] {
	case 1:
		length, at = int(start[8])|int(start[9])<<8, 10
	case 2, 3:
		if len(start) < 12 {
			return nil, errors.New("the header is cut off")
		}
		n := uint32(start[8]) | uint32(start[9])<<8 | uint32(start[10])<<16 | uint32(start[11])<<24
		length, at = int(min(n, maxHeader+1)), 12
	default:
		return nil, fmt.Errorf("version %d of the .npy format is unknown", start[6])
	}
	if length > maxHeader {
		return nil, fmt.Errorf("the header is longer than %d bytes", maxHeader)
	}
	if len(start) < at+length {
		return nil, errors.New("the header is cut off")
	}
	h, err := parseDict(string(start[at : at+length]))
	if err != nil {
		return nil, err
	}
	h.offset = at + length
	// Both factors are below 2^31, so their product fits an int64, but 8 times the product might
	// not.
	if count := int64(h.rows) * int64(h.cols); count > math.MaxInt64/16 ||
		int64(h.offset)+count*int64(h.size) != size {
		return nil, fmt.Errorf("%d x %d numbers of %d bytes after %d bytes of header do not "+
			"make a file of %d bytes",
			h.rows, h.cols, h.size, h.offset, size)
	}
	return h, nil
}

// parseDict parses the header's Python dictionary, which must have exactly the keys descr,
// fortran_order and shape.
func parseDict(text string) (*header, error) {
	s := scanner{text}
	h := &header{}
	seen := map[string]bool{}
	if !s.take("{") {
		return nil, errors.New("the header is no dictionary")
	}
	for !s.take("}") {
		key, ok := s.quoted()
		if !ok || !s.take(":") || seen[key] {
			return nil, errors.New("the header is no dictionary of distinct names")
		}
		seen[key] = true
		var err error
		switch key {
		case "descr":
			err = s.descr(h)
		case "fortran_order":
			h.fortran = s.take("True")
			if !h.fortran && !s.take("False") {
				err = errors.New("fortran_order is neither True nor False")
			}
		case "shape":
			err = s.shape(h)
		default:
			err = fmt.Errorf("the header has an unknown key %s", fail.Quote(key))
		}
		if err != nil {
			return nil, err
		}
		if !s.take(",") && !strings.HasPrefix(s.rest(), "}") {
			return nil, errors.New("the header's dictionary is damaged")
		}
	}
	if len(seen) != 3 || s.rest() != "" {
		return nil, errors.New("the header's dictionary is not complete")
	}
	return h, nil
}

// scanner walks over the text of the dictionary.
type scanner struct{ text string }

// rest skips blanks and returns what is left.
func (s *scanner) rest() string {
	s.text = strings.TrimLeft(s.text, " \t\r\n")
	return s.text
}

func (s *scanner) take(token string) bool {
	rest, ok := strings.CutPrefix(s.rest(), token)
	s.text = rest
	return ok
}

func (s *scanner) quoted() (string, bool) {
	for _, q := range []string{"'", `"`} {
		if s.take(q) {
			word, rest, ok := strings.Cut(s.text, q)
			s.text = rest
			return word, ok
		}
	}
	return "", false
}

func (s *scanner) descr(h *header) error {
	d, ok := s.quoted()
	if !ok {
		return errors.New("structured types are not read, only float32 and float64")
	}
	switch d {
	case "<f4", "=f4", ">f4":
		h.size = 4
	case "<f8", "=f8", ">f8":
		h.size = 8
	default:
		return fmt.Errorf("numbers of type %s are not read, only float32 and float64",
			fail.Quote(d))
	}
	h.big = d[0] == '>'
	return nil
}

func (s *scanner) shape(h *header) error {
	if !s.take("(") {
		return errors.New("the shape is no tuple")
	}
	var dims []int
	for !s.take(")") {
		text := s.rest()
		n := len(text) - len(strings.TrimLeft(text, "0123456789"))
		v, err := strconv.ParseInt(text[:n], 10, 32)
		if err != nil || len(dims) == 2 {
			return errors.New("the shape is not that of a matrix of at most 2^31-1 rows and " +
				"columns")
		}
		dims = append(dims, int(v))
		s.text = text[n:]
		s.take("L") // Python 2 wrote long integers with this suffix.
		if !s.take(",") && !strings.HasPrefix(s.rest(), ")") {
			return errors.New("the shape is damaged")
		}
	}
	switch len(dims) {
	case 1:
		h.vector, dims = true, []int{1, dims[0]}
	case 2:
	default:
		return fmt.Errorf("the array has %d dimensions, a matrix has 2", len(dims))
	}
	h.rows, h.cols = dims[0], dims[1]
	return nil
}

// formatHeader returns a header of version 1, padded so that the numbers start at a multiple of 64
// bytes.
func formatHeader(rows, cols int, float64s bool) []byte {
	descr := "<f4"
	if float64s {
		descr = "<f8"
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, rows,
		cols)
	pad := 63 - (10+len(dict))%64
	dict += strings.Repeat(" ", pad) + "\n"
	return append([]byte{magic[0], 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(dict)),
		byte(len(dict) >> 8)}, dict...)
}
