package model

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// tabular makes m a model of a table.
func tabular(m *Model) *Model {
	m.Columns = &dataset.Columns{Label: "class", Skipped: []string{"name"},
		Features: []dataset.Column{{Name: "x.1"}, {Name: "colour", Categories: []string{"blue", "red, dark"}}}}
	return m
}

// TestColumns: a model keeps the columns of a table, and the other bytes equal the same model without columns.
func TestColumns(t *testing.T) {
	for name, m := range map[string]*Model{"one": tabular(small()), "several": tabular(trio(OneVsOne)), "sparse": tabular(sparse(small())), "family": tabular(regional(small()))} {
		b := encoded(t, m)
		got, err := decoded(b)
		if m.Family != nil { // Nobody here knows the family, and that is the error.
			if !bytes.Contains(b, []byte(`"version":"4"`)) {
				t.Errorf("%s: header %s", name, b[:100])
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, m) || !bytes.Equal(encoded(t, got), b) || !bytes.Contains(b, []byte(`"version":"4"`)) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", name, err, got, m)
		}
	}
	if b := encoded(t, small()); bytes.Contains(b, []byte("columns")) || !bytes.Contains(b, []byte(`"version":"1"`)) {
		t.Error("a model without a table names columns")
	}
}

// TestBrokenColumns has columns that no table has.
func TestBrokenColumns(t *testing.T) {
	for want, c := range map[string]*dataset.Columns{
		"no column is a feature":        {Label: "y"},
		"is no text":                    {Features: []dataset.Column{{Name: ""}}},
		"are called \"a\"":              {Label: "a", Features: []dataset.Column{{Name: "a"}}},
		"are called \"b\"":              {Features: []dataset.Column{{Name: "a", Categories: []string{"b", "b"}}}},
		"the name \"\\x1b\" of a categ": {Features: []dataset.Column{{Name: "a", Categories: []string{"\x1b"}}}},
		"take more than":                {Features: []dataset.Column{{Name: "a", Categories: distinct(3000)}}},
	} {
		m := small()
		m.Columns = c
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %s", err, want)
		}
	}
}

// distinct returns n long words.
func distinct(n int) []string {
	var words []string
	for i := range n {
		words = append(words, strings.Repeat("x", 900)+strings.Repeat("a", i%24)+strings.Repeat("b", i/24%24)+string(rune('a'+i/576)))
	}
	return words
}
