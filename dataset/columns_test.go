package dataset

import (
	"fmt"
	"strings"
	"testing"

	"bigmkl/internal/dataset/labeltext"
)

// TestViewsOfColumns: each column is a view of its features, under a name that specifications can have and no other column has.
func TestViewsOfColumns(t *testing.T) {
	t.Parallel()
	c := Columns{Features: []Column{{Name: "age"}, {Name: "blood type", Categories: []string{"a", "b", "ab"}}, {Name: "blood(type"}, {Name: "7", Missing: true},
		{Name: "größe.cm"}, {Name: ""}, {Name: strings.Repeat("é", 500)}}}
	views := c.Views()
	if got := fmt.Sprint(views[:6]); got != "[{age 1 1} {blood_type 2 4} {blood_type_2 5 5} {_7 6 7} {größe.cm 8 8} {_ 9 9}]" {
		t.Error(got)
	}
	if last := views[6]; len(last.Name) > labeltext.Longest || last.First != 10 || last.Last != 10 || !labeltext.Printable(last.Name) {
		t.Errorf("%+v", last)
	}
}
