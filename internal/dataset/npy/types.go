package npy

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
)

// readable is the hint of what elements may be.
const readable = "float16, float32, float64, integers, truth values and text are read"

// rejected is the error for an array whose elements are not read.
type rejected struct{ what, hint string }

// Error names the array. It does not hold the hint, which Fault sets.
func (r *rejected) Error() string { return r.what }

// Fault returns an error of ReadHeader as one of class fail.Input at a file, with the hint that
// belongs to it. The name is the name of the array in the message, or empty.
func Fault(err error, name, path string) *fail.Error {
	if name != "" {
		name += ": "
	}
	e := fail.New(fail.Input, "%s%w", name, err).At(path, 0, 0)
	if r, ok := err.(*rejected); ok {
		e.Hint = r.hint
	}
	return e
}

// structured is the error for elements that have several fields.
func structured() error {
	return &rejected{"a structured array is not read, as its elements have fields",
		"numpy.lib.recfunctions.structured_to_unstructured(X), or one field alone: X['name']"}
}

// unread returns the error for elements of a type, written as in a header, that are not read.
func unread(descr string) error {
	kind, size := byte(0), 0
	if len(descr) > 1 {
		kind = descr[1]
		digits := strings.TrimLeft(descr[2:], "0123456789")
		size, _ = strconv.Atoi(descr[2 : len(descr)-len(digits)])
	}
	switch kind {
	case 'O':
		return &rejected{"an object array is not read, as its elements are pickled objects of Python",
			"numpy.save(FILE, X.astype(float)), or labels.astype(str) for labels"}
	case 'c':
		return &rejected{fmt.Sprintf("numbers of type complex%d are not read", 8*min(size, 1<<10)),
			"X.real, X.imag or abs(X)"}
	case 'f':
		return &rejected{fmt.Sprintf("numbers of type float%d are not read", 8*min(size, 1<<10)),
			"X.astype('float64')"}
	case 'M', 'm':
		name := map[byte]string{'M': "datetime64", 'm': "timedelta64"}[kind]
		unit := ""
		if at := strings.IndexByte(descr, '['); at > 0 {
			unit = fail.Label(descr[at:])
		}
		return &rejected{fmt.Sprintf("times of type %s%s are not read", name, unit),
			"X.astype('int64') counts their units"}
	case 'V':
		return &rejected{fmt.Sprintf("raw elements of %d bytes (void) are not read", size),
			"X.astype('float32') before the array is saved"}
	case 'S', 'U':
		return &rejected{fmt.Sprintf("text of %d letters an element is not read, only up to %d", size,
			maxText), readable}
	}
	return &rejected{fmt.Sprintf("elements of type %s are not read", fail.Quote(descr)), readable}
}

// half returns the number that a float16 encodes. Every float16 is a float32.
func half(bits uint16) float32 {
	sign := uint32(bits>>15) << 31
	exponent, fraction := int(bits>>10&31), uint32(bits&0x3ff)
	switch exponent {
	case 31: // infinity and NaN
		return math.Float32frombits(sign | 0xff<<23 | fraction<<13)
	case 0: // zero, and numbers below 2^-14, which are multiples of 2^-24
		v := math.Ldexp(float64(fraction), -24)
		return math.Float32frombits(sign | math.Float32bits(float32(v)))
	}
	return math.Float32frombits(sign | uint32(exponent+127-15)<<23 | fraction<<13)
}
