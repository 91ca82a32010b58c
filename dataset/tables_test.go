package dataset

import (
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

func TestWeights(t *testing.T) {
	data := write(t, "data", "1 1:1\n# none\n2 1:1\n")
	more := write(t, "more", "3 1:1\n")
	for _, c := range []struct{ weights, column string }{
		{"1\n0.5\n2e1\n", ""},
		{"# head\n1\r\n\n0.5\n20", ":1"},
		{"a 1 x\nb\t0.5\ty\nc 20 z\n", ":2"},
		{"a,1,x\nb , 0.5,y\n , 20\n", ":2"},
		{"a,,1\n,,0.5\n , ,20\n", ":3"},
	} {
		r, err := Open([]string{data, more}, ReadOptions{Weights: write(t, "w", c.weights) + c.column})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readAll(r)
		var got []float64
		for _, row := range rows {
			got = append(got, row.Weight)
		}
		if err != nil || !slices.Equal(got, []float64{1, .5, 20}) {
			t.Errorf("%q%s: %v, %v", c.weights, c.column, got, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestWeightFaults(t *testing.T) {
	for _, c := range []struct {
		weights, column string
		rows            int
		line, at        int
		message         string
	}{
		{"1\n", "", 1, 0, 0, "only 1 weights"},
		{"", "", 0, 0, 0, "only 0 weights"},
		{"1\n1\n1\n", "", 2, 3, 1, "more weights than the 2 rows"},
		{"1\n1\nx\n", "", 2, 3, 1, "not a finite"},
		{"0\n0.0\n", "", 0, 0, 0, "all 2 rows have the weight 0"},
		{"1\n0\n0\n", "", 1, 3, 1, "more weights than the 2 rows"},
		{"1\n -1\n", "", 1, 2, 2, "below 0"},
		{"1\n-1e-300\n", "", 1, 2, 1, "below 0"},
		{"nan\n", "", 0, 1, 1, "not a finite"},
		{"1e400\n", "", 0, 1, 1, "not a finite"},
		{"a inf\n", ":2", 0, 1, 3, "not a finite"},
		{"1_000\n", "", 0, 1, 1, "not a finite"},
		{"0x1p3\n", "", 0, 1, 1, "not a finite"},
		{"1 1\n1\n", ":2", 1, 2, 1, "no column 2"},
		{"1,,\n", ":2", 0, 1, 3, "not a finite"},
		{"1\x00\n", "", 0, 1, 2, "NUL"},
	} {
		w := write(t, "w", c.weights)
		r, err := Open([]string{write(t, "data", "1 1:1\n2 1:1\n")}, ReadOptions{Weights: w + c.column})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readAll(r)
		if len(rows) != c.rows {
			t.Errorf("%q: %d rows, want %d", c.weights, len(rows), c.rows)
		}
		wantFault(t, err, fail.Input, w, c.line, c.at, c.message)
	}
	// More weights than are asked for are nobody's business.
	r, _ := Open([]string{write(t, "data", "1 1:1\n2 1:1\n")}, ReadOptions{Weights: write(t, "w", "3\n4\n5\n")})
	if rows, err := readAll(Limit(r, 1)); err != nil || len(rows) != 1 || rows[0].Weight != 3 {
		t.Errorf("limit: %v, %v", rows, err)
	}
}

func TestReadViews(t *testing.T) {
	path := write(t, "views", "\ufeff# view first last width\r\nA 1 4 4 some words\n\nB\t5\t461\n  C 2 2 # overlaps\n")
	views, err := ReadViews(path)
	if want := []View{{"A", 1, 4}, {"B", 5, 461}, {"C", 2, 2}}; err != nil || !slices.Equal(views, want) {
		t.Errorf("%v, %v", views, err)
	}
	for text, c := range map[string]struct {
		line    int
		message string
	}{
		"":                     {0, "no views"},
		"# x\n":                {0, "no views"},
		"A 1\n":                {1, "a view is"},
		"A 1 2\nB 0 3\n":       {2, "not an integer from 1"},
		"A 1 2\nB 3 -4\n":      {2, "not an integer from 1"},
		"A x 2\n":              {1, "not an integer from 1"},
		"A 1 2.5\n":            {1, "not an integer from 1"},
		"A +1 2\n":             {1, "not an integer from 1"},
		"A 1 99999999999999\n": {1, "not an integer from 1"},
		"A 3 2\n":              {1, "before its first"},
		"A 1 2\n\nA 3 4\n":     {3, "given in line 1"},
		"A 1\x002\n":           {1, "NUL"},
	} {
		path := write(t, "views", text)
		_, err := ReadViews(path)
		column := 0
		if strings.Contains(text, "\x00") {
			column = 4
		}
		wantFault(t, err, fail.Input, path, c.line, column, c.message)
	}
}
