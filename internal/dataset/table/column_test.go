package table

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"bigmkl/internal/fail"
)

// TestReadColumn reads a column of words in several forms of tables, and rejects faulty ones at their places.
func TestReadColumn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for text, c := range map[string]struct {
		limit int
		want  []string // nil for a fault
		line  int
	}{
		"id,x\na,1\nb,2\na,3\n":                      {want: []string{"a", "b", "a"}},
		"\ufeffx;id\r\n1; a b \r\n2;\"c;\"\"d\"\r\n": {want: []string{"a b", "c;\"d"}},
		"x\tid\n1\ta\n\n2\tb\n":                      {want: []string{"a", "b"}},
		"id,x\na,1\nb,2\nc\n":                        {limit: 2, want: []string{"a", "b"}},
		"id\na\n":                                    {want: []string{"a"}},
		"id,x\na,1\nb\n":                             {line: 3},
		"id,x\na,1\n,2\n":                            {line: 3},
		"id,x\n\xff,1\n":                             {line: 2},
		"id,x\n\"a,1\n":                              {line: 2},
		"ID,x\na,1\n":                                {line: 1},
		"id,x\n":                                     {},
		"":                                           {},
		"id,x\na\x00,1\n":                            {},
	} {
		path := filepath.Join(folder, "t.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadColumn(path, "id", c.limit)
		if c.want != nil {
			if err != nil || !slices.Equal(got, c.want) {
				t.Errorf("%q: %q, %v", text, got, err)
			}
			continue
		}
		var e *fail.Error
		if !errors.As(err, &e) || !errors.Is(err, fail.Input) || e.File != path || c.line > 0 && e.Line != c.line {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	if _, err := ReadColumn(filepath.Join(folder, "none"), "id", 0); !errors.Is(err, fail.Input) {
		t.Error(err)
	}
}
