package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

// TestHalf compares every float16 with its definition: sign, exponent and fraction of IEEE 754.
func TestHalf(t *testing.T) {
	t.Parallel()
	for bits := range 1 << 16 {
		want := math.Ldexp(1+float64(bits&0x3ff)/1024, (bits>>10&31)-15)
		switch bits >> 10 & 31 {
		case 0:
			want = float64(bits&0x3ff) / (1 << 24)
		case 31:
			want = math.Inf(1)
			if bits&0x3ff != 0 {
				want = math.NaN()
			}
		}
		if bits>>15 == 1 {
			want = -want
		}
		got := float64(half(uint16(bits)))
		if got != want && (got == got || want == want) || math.Signbit(got) != math.Signbit(want) && got == got {
			t.Fatalf("%#04x is %v and not %v", bits, got, want)
		}
	}
	// These are values that everybody knows.
	for bits, want := range map[uint16]float32{0x3c00: 1, 0xc000: -2, 0x7bff: 65504, 0x0400: 0x1p-14, 1: 0x1p-24, 0x3555: 0.333251953125} {
		if got := half(bits); got != want {
			t.Errorf("%#04x is %v and not %v", bits, got, want)
		}
	}
}

// TestMatrixOfHalves reads float16 of both byte orders, in both orders of elements.
func TestMatrixOfHalves(t *testing.T) {
	t.Parallel()
	want := [2][3]float64{{1, -2, 65504}, {0x1p-24, 0, 0.333251953125}}
	for descr, order := range map[string]binary.AppendByteOrder{"<f2": binary.LittleEndian, ">f2": binary.BigEndian} {
		for fortran, bits := range map[string][]uint16{"False": {0x3c00, 0xc000, 0x7bff, 1, 0, 0x3555}, "True": {0x3c00, 1, 0xc000, 0, 0x7bff, 0x3555}} {
			b := file(1, "{'descr': '"+descr+"', 'fortran_order': "+fortran+", 'shape': (2, 3), }", nil, 2, order)
			for _, h := range bits {
				b = order.AppendUint16(b, h)
			}
			m, err := Load(put(t, b), 3)
			if err != nil {
				t.Fatal(err)
			}
			if m.Float64s {
				t.Error("float16 is taken for float64")
			}
			for i := range 2 {
				row, narrow := make([]float64, 3), make([]float32, 3)
				m.Row64(i, 0, row)
				m.Row32(i, 0, narrow)
				for j := range row {
					if row[j] != want[i][j] || float64(narrow[j]) != want[i][j] {
						t.Errorf("%s, Fortran %s: (%d, %d) is %v and %v", descr, fortran, i, j, row[j], narrow[j])
					}
				}
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestTypesThatAreRefused: a message has the type of the array, and a hint what to do.
func TestTypesThatAreRefused(t *testing.T) {
	t.Parallel()
	for descr, want := range map[string][2]string{
		"'|O'":                        {"an object array is not read", "labels.astype(str)"},
		"'O'":                         {"elements of type \"O\" are not read", "float16"},
		"'<c8'":                       {"numbers of type complex64 are not read", "X.real"},
		"'>c16'":                      {"numbers of type complex128 are not read", "X.imag"},
		"'<f16'":                      {"numbers of type float128 are not read", "float64"},
		"[('a', '<f4'), ('b','<i4')]": {"a structured array is not read", "structured_to_unstructured"},
		"'<M8[ns]'":                   {"times of type datetime64[ns] are not read", "int64"},
		"'<m8[D]'":                    {"times of type timedelta64[D] are not read", "int64"},
		"'<M8'":                       {"times of type datetime64 are not read", "int64"},
		"'|V2'":                       {"raw elements of 2 bytes (void) are not read", "float32"},
		"'<U99999'":                   {"text of 99999 letters an element is not read", "text"},
		"'<x4'":                       {"elements of type \"<x4\" are not read", "float16"},
		"'<f3'":                       {"numbers of type float24 are not read", "float64"},
		"''":                          {"elements of type \"\" are not read", "float16"},
	} {
		dict := "{'descr': " + descr + ", 'fortran_order': False, 'shape': (1, 1), }"
		_, err := ReadHeader(bytes.NewReader(file(1, dict, nil, 4, binary.LittleEndian)))
		if err == nil {
			t.Errorf("%s is read", descr)
			continue
		}
		e := Fault(err, "array y", "some.npy")
		if !errors.Is(e, fail.Input) || !strings.HasPrefix(e.Message, "array y: "+want[0]) || !strings.Contains(e.Hint, want[1]) || e.File != "some.npy" {
			t.Errorf("%s: %v", descr, e)
		}
		if _, err := Open(put(t, file(1, dict, nil, 4, binary.LittleEndian))); err == nil || !strings.Contains(err.Error(), want[0]) {
			t.Errorf("%s as a matrix: %v", descr, err)
		}
	}
	// Types that rows may have are named where only floating-point numbers are read.
	for descr, want := range map[string]string{"<i4": "int32", "|u1": "uint8", "|b1": "bool", "<U3": "text"} {
		_, err := Open(put(t, file(1, "{'descr': '"+descr+"', 'fortran_order': False, 'shape': (1, 1), }", nil, 4, binary.LittleEndian)))
		if !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), "elements of type "+want+" are not read here, only floating-point numbers (X.astype('float64')") {
			t.Errorf("%s: %v", descr, err)
		}
	}
}
