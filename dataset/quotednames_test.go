package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

// listedNames are the names of the objects of two columns, drug and target.
type listedNames []string

func (l listedNames) Columns() []string { return []string{"drug", "target"} }

func (l listedNames) Number(_ int, name []byte) (int32, error) {
	k := slices.Index(l, string(name))
	if k < 0 {
		return 0, fail.New(fail.Input, "no object %q", name)
	}
	return int32(k), nil
}

// TestQuotedNames reads rows whose words are in quotes, with separators, quotes and # within them.
func TestQuotedNames(t *testing.T) {
	names := listedNames{"a", "b c", "d, e", `f "g"`, "h#1", `i"`}
	for text, want := range map[string]string{
		"1 a \"b c\"\n":                               "1:0,1",
		"1,\"d, e\",\"f \"\"g\"\"\"\n":                "1:2,3",
		"\"1\"\t\"h#1\"\ta # a comment \"b\n":         "1:4,0",
		"1 \"a\"#no blank\n1 a a\n":                   "",
		"\"y\",\"target\",\"drug\"\n\"1\",\"a\",b c,": "",
		"\"y\",\"target\",\"drug\"\r\n\"1\",\"a\",\"b c\"\r\n\"-1\",\"b c\",a\r\n": "1:1,0 -1:0,1",
		"1 i\" a\n":       "1:5,0",
		"1 \"i a\n":       "",
		"1 \"a\"b a\n":    "",
		"\"a\" \"b c\"\n": ":0,1",
	} {
		r := NewReader(strings.NewReader(text), "rows", ReadOptions{Objects: names})
		var got []string
		var err error
		for {
			var row Row
			if row, err = r.Next(); err != nil {
				break
			}
			index := []float64{0, 0}
			for k, j := range row.Index {
				index[j] = row.Value[k]
			}
			got = append(got, fmt.Sprintf("%s:%g,%g", row.Label, index[0], index[1]))
		}
		switch text := strings.Join(got, " "); {
		case want == "" && errors.Is(err, fail.Input):
		case want == "" || err != io.EOF || text != want:
			t.Errorf("%q, %v, want %q", text, err, want)
		}
		r.Close()
	}
}
