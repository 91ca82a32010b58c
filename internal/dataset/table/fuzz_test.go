package table

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/heaptest"
)

// FuzzTable: any text gives rows or an error of class fail.Input that names the file, in memory that follows its length. What
// is read gives the same rows by the columns that a model would have kept of it.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{
		"x,label,z\n1,a,2.5\n0,b,-3\n", "x;label\r\n1;a\r\n\"2\";\"b\"\"c\"\r\n", "\ufeffx\tc\ty\n1\tred\t1\n2\tblue\t0\n",
		"1,2,3\n4,5,6\n", "label,a\n1,\n", "label,a\n1,NA\n", "label,a\n1,\"x\n", "a,a,label\n1,2,3\n", "label,a\n1,1e400\n", ",label\n1,2\n",
		"label,a.b,a.c\n1,2,3\n1,2\n", "label,a\n1,\x00\n", "\x1f\x8b", "label\n1\n", "y,\"a\nb\"\n1,\"2\n\"\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		o := Options{Unlabelled: true}
		open := func(text string, o Options) (*Source, error) {
			return FromStream(dataset.NewStream(strings.NewReader(text), "in", false), o)
		}
		var s *Source
		var got string
		var err error
		used := heaptest.Allocated(func() {
			s, err = open(text, o)
			got, err = rows(s, err)
		})
		// Printed rows, and what is looked at beforehand, are not the reader's.
		most := 100*int64(len(text)) + 2<<20
		if strings.HasPrefix(text, "\x1f\x8b") || strings.HasPrefix(text, "\x28\xb5") || strings.Contains(text, "*M\x18") {
			most += 64 << 20
		}
		if used > most {
			t.Fatalf("%d bytes allocated for %d", used, len(text))
		}
		var e *fail.Error
		if err != nil && (!errors.As(err, &e) || !errors.Is(err, fail.Input) || e.File != "in") {
			t.Fatalf("error %v", err)
		}
		if err != nil || s == nil {
			return
		}
		c := s.columns
		if e := c.Check(); e != nil {
			t.Fatalf("columns %v: %v", c, e)
		}
		o.Columns, o.Header = c, map[bool]string{true: "yes", false: "no"}[s.header]
		again, err := open(text, o)
		other, err := rows(again, err)
		n, first := again.Unknown()
		if err != nil || other != got || n != 0 || first != nil {
			t.Fatalf("%q, then %q, %v, %d unknown words: %q", got, other, err, n, first)
		}
		for line := range strings.Lines(got) {
			if words := strings.Fields(line); len(words) > 0 && strings.Contains(fmt.Sprint(words), "NaN:") {
				t.Fatalf("row %s", line)
			}
		}
	})
}
