package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"unicode/utf8"
)

// Array describes an array of at most three dimensions that is read as a stream: what its header
// states, and how its elements are decoded. The contents of a header are a claim until the
// elements are there.
type Array struct {
	// Rows and Cols are the shape. An array of one dimension is a column, and one of none 1 x 1.
	Rows, Cols int
	// Deep is the size of the third dimension, and 1 if there is none.
	Deep int
	// Dims is the number of dimensions.
	Dims int
	// Kind is f for floating-point numbers, i and u for integers with and without a sign, b for
	// truth values, S for bytes and U for text of 4 bytes a letter.
	Kind byte
	// Size is the size of an element in bytes.
	Size int
	// Fortran is true if columns, and not rows, lie one after the other.
	Fortran bool
	// Offset is the size of the header in bytes, and Bytes that of the elements.
	Offset, Bytes int64
	big           bool
}

// Magic begins every .npy file.
const Magic = magic

// ReadHeader reads a header and nothing behind it. It rejects elements that are neither numbers,
// nor truth values, nor text, by errors for which Fault has a hint.
func ReadHeader(r io.Reader) (*Array, error) {
	start := make([]byte, 10, 256)
	if _, err := io.ReadFull(r, start); err != nil {
		return nil, cutOff(err)
	}
	if string(start[:6]) != magic {
		return nil, errors.New("this is no .npy array")
	}
	// The length has 2 bytes in version 1, and 4 since.
	rest := int(start[8]) | int(start[9])<<8
	if start[6] > 1 {
		start = append(start, 0, 0)
		if _, err := io.ReadFull(r, start[10:]); err != nil {
			return nil, cutOff(err)
		}
		rest = int(min(binary.LittleEndian.Uint32(start[8:]), maxHeader+1))
	}
	// A length beyond maxHeader is rejected without reading on.
	if rest <= maxHeader {
		from := len(start)
		start = append(start, make([]byte, rest)...)
		if _, err := io.ReadFull(r, start[from:]); err != nil {
			return nil, cutOff(err)
		}
	}
	h, err := parseStart(start)
	if err != nil {
		return nil, err
	}
	a := &Array{Rows: h.rows, Cols: h.cols, Deep: h.deep, Dims: h.dims, Kind: h.kind, Size: h.size,
		Fortran: h.fortran, Offset: int64(h.offset), Bytes: h.bytes(), big: h.big}
	if h.dims == 1 {
		a.Rows, a.Cols = h.cols, 1
	}
	// With one row or one column both orders are the same.
	a.Fortran = a.Fortran && (a.Dims > 2 || a.Rows != 1 && a.Cols != 1)
	return a, nil
}

// cutOff returns the error for a header that does not end.
func cutOff(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the header is cut off")
	}
	return err
}

// Numbers reports whether the elements are numbers or truth values.
func (a *Array) Numbers() bool { return a.Kind != 'S' && a.Kind != 'U' }

// String describes shape and type in words for messages.
func (a *Array) String() string {
	if a.Dims > 2 {
		return fmt.Sprintf("%d x %d x %d elements of %d bytes", a.Rows, a.Cols, a.Deep, a.Size)
	}
	return fmt.Sprintf("%d x %d elements of %d bytes", a.Rows, a.Cols, a.Size)
}

// Float64s decodes the elements in b, which are numbers, to dst. Integers beyond 2^53 are rounded
// to the nearest float64.
func (a *Array) Float64s(dst []float64, b []byte) {
	o, n := a.order(), len(dst)
	switch {
	case a.Kind == 'f' && a.Size == 8:
		for j := range dst {
			dst[j] = math.Float64frombits(o.Uint64(b[8*j:]))
		}
	case a.Kind == 'f' && a.Size == 2:
		for j := range dst {
			dst[j] = float64(half(o.Uint16(b[2*j:])))
		}
	case a.Kind == 'f':
		for j := range dst {
			dst[j] = float64(math.Float32frombits(o.Uint32(b[4*j:])))
		}
	case a.Kind == 'u' && a.Size == 8:
		for j := range dst {
			dst[j] = float64(o.Uint64(b[8*j:]))
		}
	default:
		for j := range n {
			dst[j] = float64(a.Int(b[j*a.Size:]))
		}
	}
}

// Int decodes the first element in b, which is an integer or a truth value. An integer of 64 bits
// without a sign must be below 2^63.
func (a *Array) Int(b []byte) int64 {
	o, signed := a.order(), a.Kind == 'i'
	switch {
	case a.Kind == 'b':
		if b[0] != 0 {
			return 1
		}
		return 0
	case a.Size == 1 && signed:
		return int64(int8(b[0]))
	case a.Size == 1:
		return int64(b[0])
	case a.Size == 2 && signed:
		return int64(int16(o.Uint16(b)))
	case a.Size == 2:
		return int64(o.Uint16(b))
	case a.Size == 4 && signed:
		return int64(int32(o.Uint32(b)))
	case a.Size == 4:
		return int64(o.Uint32(b))
	}
	return int64(o.Uint64(b))
}

// AppendText appends the first element in b as text would have it: a number in the fewest digits
// that give the same float64, a truth value as 0 or 1. An element that is not text becomes a byte
// that no text has.
func (a *Array) AppendText(dst, b []byte) []byte {
	switch a.Kind {
	case 'f':
		var v [1]float64
		a.Float64s(v[:], b)
		return strconv.AppendFloat(dst, v[0], 'g', -1, 64)
	case 'i', 'b':
		return strconv.AppendInt(dst, a.Int(b), 10)
	case 'u':
		return strconv.AppendUint(dst, uint64(a.Int(b)), 10)
	case 'S':
		end := a.Size
		for end > 0 && b[end-1] == 0 { // Short elements are padded with zeros.
			end--
		}
		return append(dst, b[:end]...)
	}
	end := a.Size
	for end > 0 && a.order().Uint32(b[end-4:]) == 0 {
		end -= 4
	}
	for i := 0; i < end; i += 4 {
		c := a.order().Uint32(b[i:])
		if c > utf8.MaxRune || !utf8.ValidRune(rune(c)) {
			dst = append(dst, 0xff)
			continue
		}
		dst = utf8.AppendRune(dst, rune(c))
	}
	return dst
}

func (a *Array) order() binary.ByteOrder {
	if a.big {
		return binary.BigEndian
	}
	return binary.LittleEndian
}
