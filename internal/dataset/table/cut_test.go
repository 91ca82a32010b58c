package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzCut: records, their places and faults agree with encoding/csv, for text in pieces of any size.
func FuzzCut(f *testing.F) {
	for _, text := range []string{
		"a,b\nc,d\n", "a,b", "\r\n\n a , b\r\n,,\n", "a,\"b\nc\"\nd,e\n", "a\n\"b\"\"\n\",\"\"\r\nc\n", "a\"b,c\n", "\"a", "a,\"b\"c\n", "x\r", "\"x\"\r", "\r\r\n", "a,b\n\n\"q\nr\"\n\n\"s\",t\nu,v",
		strings.Repeat("long,", 30000) + "\n1,2\n\"" + strings.Repeat("y\n", 5000) + "\"\nz",
	} {
		f.Add(text, byte(0))
	}
	f.Fuzz(func(t *testing.T, text string, separator byte) {
		comma := []byte{',', ';', '\t'}[separator%3]
		for name, c := range map[string]*cutter{"whole": newCutter(strings.NewReader(text), comma), "in pieces": newCutter(iotest.HalfReader(strings.NewReader(text)), comma)} {
			want := csv.NewReader(strings.NewReader(text))
			want.Comma, want.FieldsPerRecord = rune(comma), -1
			for {
				a, wantErr := want.Read()
				b, err := c.read()
				var x, y *csv.ParseError
				if errors.As(wantErr, &x) && errors.As(err, &y) {
					if *x != *y {
						t.Fatalf("%s: %v, and encoding/csv %v", name, err, wantErr)
					}
					break
				}
				if fmt.Sprint(wantErr) != fmt.Sprint(err) {
					t.Fatalf("%s: %v, and encoding/csv %v", name, err, wantErr)
				}
				if err != nil {
					break
				}
				if fmt.Sprintf("%q", a) != fmt.Sprintf("%q", b) {
					t.Fatalf("%s: %q, and encoding/csv %q", name, b, a)
				}
				for k := range a {
					line, column := want.FieldPos(k)
					if l, m := c.place(k); l != line || m != column {
						t.Fatalf("%s: field %d at %d:%d, and encoding/csv %d:%d", name, k, l, m, line, column)
					}
				}
			}
		}
	})
}
