package dataset

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"bigmkl/internal/fail"
)

// TestReadNamed joins two matrices and labels whose rows have other orders.
func TestReadNamed(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a := file("a.b.tsv", "name\tx\ty\r\nr2\t1\t0\r\nr1\t-2.5\t3\r\nelse\t9\t9\r\n")
	b := file("b.tsv", "\tz\n\nr1\t7\nr3\t8\n")
	labels := file("labels", "\t9\tlow\t4\nr1\t1\t0\t1\nr2\t-1\t0\t-1\nr3\t0\t0.5\t0\n")
	n, err := ReadNamed([]string{a, b}, labels, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	want := &Named{Sets: true, Lacks: true, Views: []View{{"a", 1, 2}, {"b", 3, 3}}, Rows: []Row{
		{Label: "4,9", File: labels, Line: 2, Index: []int32{0, 1, 2}, Value: []float64{-2.5, 3, 7}},
		{Label: "-", File: labels, Line: 3, Index: []int32{0}, Value: []float64{1}},
		{Label: "low", File: labels, Line: 4, Index: []int32{2}, Value: []float64{8}},
	}}
	if n.Rows[1].Label == "" {
		want.Rows[1].Label = ""
	}
	if !reflect.DeepEqual(n, want) {
		t.Errorf("%+v, want %+v", n, want)
	}
	for name, c := range map[string]struct {
		matrix, labels string
		class          error
	}{
		"no columns":      {"name\nr1\n", "", fail.Input},
		"an empty file":   {"", "", fail.Input},
		"a number less":   {"\tx\ty\nr1\t1\n", "", fail.Input},
		"a number more":   {"\tx\nr1\t1\t2\n", "", fail.Input},
		"a word":          {"\tx\nr1\tone\n", "", fail.Input},
		"NaN":             {"\tx\nr1\tNaN\n", "", fail.Input},
		"infinity":        {"\tx\nr1\tinf\n", "", fail.Input},
		"no number":       {"\tx\nr1\t\n", "", fail.Input},
		"a row twice":     {"\tx\nr1\t1\nr1\t2\n", "", fail.Input},
		"a row unnamed":   {"\tx\n\t1\n", "", fail.Input},
		"no such rows":    {"\tx\nr9\t1\n", "", fail.Input},
		"a label twice":   {"", "\ta\ta\nr1\t1\t1\n", fail.Input},
		"a label of two":  {"", "\ta,b\nr1\t1\n", fail.Input},
		"a labels' twin":  {"", "\ta\nr1\t1\nr1\t1\n", fail.Input},
		"labels and none": {"", "\ta\n", fail.Input},
	} {
		matrix, of := b, labels
		if c.labels == "" {
			matrix = file("m.tsv", c.matrix)
		} else {
			of = file("l.tsv", c.labels)
		}
		if _, err := ReadNamed([]string{matrix}, of, 1<<20); !errors.Is(err, c.class) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ReadNamed([]string{a, b}, labels, 10); !errors.Is(err, fail.Budget) {
		t.Errorf("without memory: %v", err)
	}
	if _, err := ReadNamed([]string{b, b}, labels, 1<<20); !errors.Is(err, fail.Input) {
		t.Errorf("a matrix twice: %v", err)
	}
}
