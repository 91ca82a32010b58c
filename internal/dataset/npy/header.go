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
	// maxText is the largest number of letters of an element that is text.
	maxText = 1 << 14
)

// header is the content of the header of a .npy file.
type header struct {
	rows, cols int
	deep       int  // deep is the size of the third dimension, 1 if there is none.
	kind       byte // kind is the kind of the elements; see Array.Kind.
	size       int  // size is the size of an element in bytes.
	big        bool
	fortran    bool
	dims       int // dims is the number of dimensions; an array of one is a row here.
	offset     int // offset is the offset of the first element.
}

// parseHeader parses the header of a matrix of floating-point numbers. The argument start holds up
// to maxHeader+12 bytes of the file, and size is the size of the file.
func parseHeader(start []byte, size int64) (*header, error) {
	h, err := parseStart(start)
	if err != nil {
		return nil, err
	}
	if h.kind != 'f' {
		return nil, &rejected{fmt.Sprintf("elements of type %s are not read here, only floating-point "+
			"numbers", h.typeName()), "X.astype('float64')"}
	}
	if h.dims == 0 || h.dims > 2 {
		return nil, fmt.Errorf("the array has %d dimensions, a matrix has 2", h.dims)
	}
	if h.bytes() != size-int64(h.offset) {
		return nil, fmt.Errorf("%d x %d numbers of %d bytes after %d bytes of header do not "+
			"make a file of %d bytes",
			h.rows, h.cols, h.size, h.offset, size)
	}
	return h, nil
}

// bytes returns the size of the elements, or the largest int64 if it is beyond that.
func (h *header) bytes() int64 {
	// Both factors are below 2^31, so their product fits an int64, but those that follow might not.
	count := int64(h.rows) * int64(h.cols)
	for _, more := range []int{h.deep, h.size} {
		if more > 0 && count > math.MaxInt64/int64(more) {
			return math.MaxInt64
		}
		count *= int64(more)
	}
	return count
}

// typeName returns the name that NumPy has for the type of elements.
func (h *header) typeName() string {
	switch h.kind {
	case 'f':
		return "float" + strconv.Itoa(8*h.size)
	case 'i':
		return "int" + strconv.Itoa(8*h.size)
	case 'u':
		return "uint" + strconv.Itoa(8*h.size)
	case 'b':
		return "bool"
	}
	return "text"
}

// parseStart parses the header at the start of a file.
func parseStart(start []byte) (*header, error) {
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
		return structured()
	}
	order, kind, digits := byte(0), byte(0), ""
	if len(d) > 2 {
		order, kind, digits = d[0], d[1], d[2:]
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	h.kind, h.size, h.big = kind, int(n), order == '>'
	known := err == nil && strings.IndexByte("<=>|", order) >= 0
	switch kind {
	case 'f':
		known = known && order != '|' && (n == 2 || n == 4 || n == 8)
	case 'i', 'u':
		known = known && (n == 1 || n == 2 || n == 4 || n == 8) && (order != '|' || n == 1)
	case 'b':
		known = known && n == 1
	case 'S':
		known = known && n <= maxText
	case 'U':
		known = known && n <= maxText
		h.size *= 4
	default:
		known = false
	}
	if !known {
		return unread(d)
	}
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
		if err != nil || len(dims) == 3 {
			return errors.New("the shape is not that of an array of at most three dimensions and " +
				"2^31-1 rows and columns")
		}
		dims = append(dims, int(v))
		s.text = text[n:]
		s.take("L") // Python 2 wrote long integers with this suffix.
		if !s.take(",") && !strings.HasPrefix(s.rest(), ")") {
			return errors.New("the shape is damaged")
		}
	}
	h.dims = len(dims)
	h.deep = 1
	if len(dims) == 3 {
		h.deep = dims[2]
	}
	for len(dims) < 2 {
		dims = append([]int{1}, dims...)
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
	return headerOf(descr, fmt.Sprintf("(%d, %d)", rows, cols))
}

// FormatHeader returns the header of an array of one dimension with n elements of a type such as
// <f8, or of none and one element if n is negative.
func FormatHeader(descr string, n int64) []byte {
	if n < 0 {
		return headerOf(descr, "()")
	}
	return headerOf(descr, fmt.Sprintf("(%d,)", n))
}

// FormatMatrix returns the header of a matrix of float64 in C order.
func FormatMatrix(rows, cols int) []byte { return formatHeader(rows, cols, true) }

func headerOf(descr, shape string) []byte {
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape)
	pad := 63 - (10+len(dict))%64
	dict += strings.Repeat(" ", pad) + "\n"
	return append([]byte{magic[0], 'N', 'U', 'M', 'P', 'Y', 1, 0, byte(len(dict)),
		byte(len(dict) >> 8)}, dict...)
}
