package table

import (
	"strings"
	"testing"

	"bigmkl/dataset"
)

// TestImputedTables: a number that is missing is NaN, a category none of its words, and with indicator columns that lack
// values have a feature that marks these rows.
func TestImputedTables(t *testing.T) {
	const text = "age,town,weight,label\n31,Aston,70,a\n,Bree,71,b\nNA,?,72,a\n44,None,73,b\n"
	for _, c := range []struct{ impute, want string }{
		{dataset.ImputeMedian, "a 1:31 2:1 4:70\nb 1:NaN 3:1 4:71\na 1:NaN 4:72\nb 1:44 4:73\n"},
		{dataset.ImputeIndicator, "a 1:31 3:1 6:70\nb 1:NaN 2:1 4:1 6:71\na 1:NaN 2:1 5:1 6:72\nb 1:44 5:1 6:73\n"},
	} {
		if got, err := readFile(t, text, Options{Impute: c.impute}); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.impute, got, err, c.want)
		}
	}
	// Without an option the message names it.
	if _, err := readFile(t, text, Options{}); err == nil || !strings.Contains(err.Error(), "3:1: the value of column age is missing") ||
		!strings.Contains(err.Error(), "--impute") {
		t.Errorf("%v", err)
	}
	// NA is a word of a column that is named as one of categories, and an empty field is none.
	named := Options{Impute: dataset.ImputeIndicator, Categories: []string{"town"}}
	const words = "town,label\nNA,a\n,b\nBree,a\n"
	if got, err := readFile(t, words, named); err != nil || got != "a 2:1\nb 3:1\na 1:1\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestImputedColumns: the columns of a training record which of them lacked values. Others that do later have no feature
// for it.
func TestImputedColumns(t *testing.T) {
	path := put(t, "train.csv", "x,y2,label\n1,2,a\n,3,b\n")
	s, err := Open(t.Context(), []string{path}, Options{Impute: dataset.ImputeIndicator})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := s.Columns()
	if c == nil || !c.Features[0].Missing || c.Features[1].Missing || c.Width() != 3 {
		t.Fatalf("columns %+v", c)
	}
	got, err := readFile(t, "y2,x,label\nNA,5,a\n", Options{Impute: dataset.ImputeIndicator, Columns: c})
	if err != nil || got != "a 1:5 3:NaN\n" {
		t.Errorf("%q, %v", got, err)
	}
	// A table without names keeps its columns if they have such features.
	s, err = Open(t.Context(), []string{put(t, "bare.csv", "1,2,a\n,3,b\n")}, Options{Impute: dataset.ImputeIndicator, Label: "3"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Columns() == nil {
		t.Error("the columns of a table without names are lost")
	}
}
