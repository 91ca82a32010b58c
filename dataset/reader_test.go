package dataset

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

func TestReaderAccepts(t *testing.T) {
	row := func(label string, line int, pairs ...float64) Row {
		r := Row{Label: label, Weight: 1, Line: line}
		for i := 0; i < len(pairs); i += 2 {
			r.Index, r.Value = append(r.Index, int32(pairs[i])-1), append(r.Value, pairs[i+1])
		}
		return r
	}
	for _, c := range []struct {
		name, in string
		want     []Row
	}{
		{"plain", "+1 1:0.5 3:-2\n-1 2:1e3\n", []Row{row("1", 1, 1, .5, 3, -2), row("-1", 2, 2, 1000)}},
		{"no last newline", "1 1:1", []Row{row("1", 1, 1, 1)}},
		{"crlf", "1 1:1\r\n2 2:2\r\n", []Row{row("1", 1, 1, 1), row("2", 2, 2, 2)}},
		{"crlf, no last newline", "1 1:1\r\n2 2:2\r", []Row{row("1", 1, 1, 1), row("2", 2, 2, 2)}},
		{"tabs and blanks", " \t1\t1:1  \t 2:2 \t\n", []Row{row("1", 1, 1, 1, 2, 2)}},
		{"byte order mark", "\ufeff1 1:1\n", []Row{row("1", 1, 1, 1)}},
		{"byte order mark, comment", "\ufeff# x\n1 1:1\n", []Row{row("1", 2, 1, 1)}},
		{"byte order mark within", "1 1:1\n\ufeff1 1:1\n", []Row{row("1", 1, 1, 1), row("\ufeff1", 2, 1, 1)}},
		{"comments", "# head\n\n1 1:1 # 2:nan\n  # only\n2 1:2#3:3\n", []Row{row("1", 3, 1, 1), row("2", 5, 1, 2)}},
		{"no label", "1:2 3:4\n", []Row{row("", 1, 1, 2, 3, 4)}},
		{"qid", "3 qid:17 1:1\n", []Row{row("3", 1, 1, 1)}},
		{"label only", "3\n-0 \n", []Row{row("3", 1), row("0", 2)}},
		{"names", "spam 1:1\nclass:ham 1:1\n1,3 1:1\n", []Row{row("spam", 1, 1, 1), row("class:ham", 2, 1, 1), row("1,3", 3, 1, 1)}},
		{"number forms", "1 1:.5 2:5. 3:+1E2 4:-0 5:00012 6:1e-400 7:0e9999999", []Row{row("1", 1, 1, .5, 2, 5, 3, 100, 4, 0, 5, 12, 6, 0, 7, 0)}},
		{"largest index", "1 2147483647:1\n", []Row{row("1", 1, 2147483647, 1)}},
		{"padded index", "1 0002:1\n", []Row{row("1", 1, 2, 1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := mustParse(t, c.in)
			if !sameRows(got, c.want) {
				t.Fatalf("%v\nwant %v", got, c.want)
			}
			for i := range got {
				if got[i].Line != c.want[i].Line || got[i].File != "in" {
					t.Errorf("row %d from %s:%d, want line %d", i, got[i].File, got[i].Line, c.want[i].Line)
				}
			}
		})
	}
}

func TestReaderRefuses(t *testing.T) {
	for _, c := range []struct {
		in           string
		line, column int
		message      string
	}{
		{"", 0, 0, "no rows"},
		{"# only\n\n \t\r\n", 0, 0, "no rows"},
		{"1 1:nan\n", 1, 3, "the value of feature 1 is missing"},
		{"1 1:1 2:NaN\n", 1, 7, "the value of feature 2 is missing"},
		{"1 1:inf\n", 1, 3, "not a plain decimal"},
		{"1 1:-Infinity\n", 1, 3, "not a plain decimal"},
		{"1 1:1e400\n", 1, 3, "beyond a float64"},
		{"1 1:-1e400\n", 1, 3, "beyond a float64"},
		{"1 1:1_000\n", 1, 3, "not a plain decimal"},
		{"1 1:0x1p3\n", 1, 3, "not a plain decimal"},
		{"1 1:0x10\n", 1, 3, "not a plain decimal"},
		{"1 1:1,5\n", 1, 3, "not a plain decimal"},
		{"1 1:1e\n", 1, 3, "not a plain decimal"},
		{"1 1:1e+\n", 1, 3, "not a plain decimal"},
		{"1 1:.\n", 1, 3, "not a plain decimal"},
		{"1 1:-\n", 1, 3, "not a plain decimal"},
		{"1 1:--1\n", 1, 3, "not a plain decimal"},
		{"1 1:1-1\n", 1, 3, "not a plain decimal"},
		{"1 1:1\r2:1\n", 1, 3, "not a plain decimal"},
		{"1 1:\n", 1, 3, "not a plain decimal"},
		{"1 1: 2:3\n", 1, 3, "not a plain decimal"},
		{"1 :1\n", 1, 3, "not a positive integer"},
		{"1 1:2:3\n", 1, 3, "not a plain decimal"},
		{"1:2:3\n", 1, 1, "not a plain decimal"},
		{"1:\n", 1, 1, "not a plain decimal"},
		{":1\n", 1, 1, "not a positive integer"},
		{"a:1 2:1\n", 1, 1, "not a positive integer"},
		{"1 0:1\n", 1, 3, "feature index 0"},
		{"1 -1:1\n", 1, 3, "not a positive integer"},
		{"1 +1:1\n", 1, 3, "not a positive integer"},
		{"1 1.5:1\n", 1, 3, "not a positive integer"},
		{"1 2:1 2:1\n", 1, 7, "strictly ascending"},
		{"1 2:1 1:1\n", 1, 7, "strictly ascending"},
		{"1 2147483648:1\n", 1, 3, "above 2147483647"},
		{"1 9223372036854775808:1\n", 1, 3, "above 2147483647"},
		{"1 18446744073709551617:1\n", 1, 3, "above 2147483647"},
		{"1 99999999999999999999999999:1\n", 1, 3, "above 2147483647"},
		{"1 1\n", 1, 3, "not an index:value pair"},
		{"1 1:1 x\n", 1, 7, "not an index:value pair"},
		{"1 qid:x 1:1\n", 1, 3, "query id"},
		{"1 qid: 1:1\n", 1, 3, "query id"},
		{"qid:1 1:1\n", 1, 1, "not a positive integer"},
		{"1 1:1 qid:1\n", 1, 7, "not a positive integer"},
		{"\n1 1:1\n1.5 1:1\n", 3, 1, "regression data?"},
		{" nan 1:1\n", 1, 2, "regression data?"},
		{"-Inf 1:1\n", 1, 1, "regression data?"},
		{"0x1p3 1:1\n", 1, 1, "regression data?"},
		{"1e400 1:1\n", 1, 1, "too large"},
		{"1_000 1:1\n", 1, 1, "regression data?"},
		{"1 1:1\n1 1:\x001\n", 2, 5, "NUL"},
		{"1 1:1 # \x00\n", 1, 9, "NUL"},
		{"\ufeff1 0:1\n", 1, 3, "feature index 0"},
	} {
		t.Run(fmt.Sprintf("%q", c.in), func(t *testing.T) {
			_, err := parseString(c.in)
			wantFault(t, err, fail.Input, "in", c.line, c.column, c.message)
		})
	}
}

func TestReaderKeepsItsError(t *testing.T) {
	r := NewReader(strings.NewReader("1 1:1\n1 0:1\n1 1:1\n"), "in", ReadOptions{})
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	_, first := r.Next()
	_, second := r.Next()
	if first == nil || first != second {
		t.Errorf("%v, then %v", first, second)
	}
}

func TestMaxFeatures(t *testing.T) {
	r := NewReader(strings.NewReader("1 7:1\n1 8:1\n"), "in", ReadOptions{MaxFeatures: 7})
	rows, err := readAll(r)
	if len(rows) != 1 {
		t.Errorf("%d rows", len(rows))
	}
	wantFault(t, err, fail.Input, "in", 2, 3, "above 7")
	for _, bad := range []ReadOptions{{MaxFeatures: -1}, {MaxFeatures: 1 << 31}, {Weights: "file:0"}} {
		if _, err := NewReader(strings.NewReader(""), "in", bad).Next(); err == nil || err == io.EOF {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
