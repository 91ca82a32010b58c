package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/heaptest"
)

// TestColumnsByName reads labels and weights of columns that the first line of their file names.
func TestColumnsByName(t *testing.T) {
	t.Parallel()
	data := write(t, "data", "1:1\n1:2\n1:3\n")
	for _, text := range []string{
		"id,outcome,cost\na,x,1\nb,y y,0.5\nc,z,2\n",
		"# made today\n\nid ; outcome ; \"cost\"\r\na;x;1\r\n\n# more\n\"b;c\";y y;.5\nc; z ;2e0",
		"id\toutcome\tcost\na, b\tx\t1\nb\ty y\t0.5\n\tz\t2\n",
		"\ufeff\"the \"\"id\"\"\",\"outcome\",cost\n\"1,5\",\"x\",1\n\"\"\"\",\"y y\",0.5\n,z,2\n",
		"\"id, first, last\";outcome;cost\na;x;1\nb;y y;0.5\nc;z;2\n",
		"cost,a,outcome\n1,\"1 \"\" 2\",x\n0.5,,y y\n2,b,z\n",
	} {
		file := write(t, "table", text)
		r, err := Open([]string{data}, ReadOptions{LabelFile: file + ":outcome", Weights: file + ":cost"})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readAll(r)
		var got strings.Builder
		for _, row := range rows {
			fmt.Fprintf(&got, "%s %v;", row.Label, row.Weight)
		}
		if err != nil || got.String() != "x 1;y y 0.5;z 2;" {
			t.Errorf("%q: %v, %s", text, err, got.String())
		}
		r.Close()
	}
	// Blanks separate words without other separators, and a set of labels may be in quotes.
	blanks := write(t, "blanks", "id   class\n1  a\n2 b\n 3 c\n")
	sets := write(t, "sets", "id,tags\n1,\"1,3\"\n2,\n3,2\n")
	for _, c := range []struct {
		o    ReadOptions
		want string
	}{
		{ReadOptions{LabelFile: blanks + ":class"}, "[a b c]"},
		{ReadOptions{LabelFile: sets + ":tags", Labels: Sets}, "[1,3 - 2]"},
		{ReadOptions{LabelFile: blanks + ":id"}, "[1 2 3]"},
	} {
		r, err := Open([]string{data}, c.o)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := readAll(r)
		var labels []string
		for _, row := range rows {
			labels = append(labels, row.Label)
		}
		if err != nil || fmt.Sprint(labels) != c.want {
			t.Errorf("%s: %v, %v and not %s", c.o.LabelFile, err, labels, c.want)
		}
		r.Close()
	}
}

// TestNamesOfColumnsAndFiles: a file whose name has a colon is not a column of another one, and numbers are numbers.
func TestNamesOfColumnsAndFiles(t *testing.T) {
	t.Parallel()
	plain := write(t, "labels", "7 y\n1 2\n")
	odd := plain + ":y"
	for _, c := range []struct {
		spec, path, called string
		column             int
	}{
		{plain, plain, "", 1}, {plain + ":2", plain, "", 2}, {odd, plain, "y", 0}, {plain + ":", plain + ":", "", 1},
		{plain + "none:y", plain + "none:y", "", 1}, {"-:y", "-", "y", 0}, {"-:3", "-", "", 3}, {plain + ":a:b", plain + ":a:b", "", 1},
	} {
		path, column, called, err := splitFields(c.spec)
		if err != nil || path != c.path || column != c.column || called != c.called {
			t.Errorf("%s: %s, %d, %s, %v", c.spec, path, column, called, err)
		}
	}
	if err := os.WriteFile(odd, []byte("9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if path, column, called, err := splitFields(odd); err != nil || path != odd || column != 1 || called != "" {
		t.Errorf("a file of that name: %s, %d, %s, %v", path, column, called, err)
	}
	if files := (ReadOptions{LabelFile: plain + ":class"}).Files(); !slices.Equal(files, []string{plain}) {
		t.Errorf("files %v", files)
	}
}

// TestFaultsOfNamedColumns: each has its place, and lists the columns.
func TestFaultsOfNamedColumns(t *testing.T) {
	t.Parallel()
	data := write(t, "data", "1:1\n1:2\n")
	many := strings.Repeat("column,", 12) + "x"
	for _, c := range []struct{ text, name, want string }{
		{"id,outcome\na,x\nb,y\n", "outcom", ":1: no column is called outcom (the columns here are id, outcome; a number counts them from 1)"},
		{"# c\n\nid outcome\na x\n", "class", ":3: no column is called class (the columns here are id, outcome;"},
		{many + "\n", "class", "column, column, ..; a number"},
		{"y,y\n1,2\n", "y", ":1: two columns are called y"},
		{"id,y\na,1\nb,2,3\n", "y", ":3: 3 columns, and the first line has 2"},
		{"id,y\na,1\nb\n", "y", ":3: 1 columns, and the first line has 2"},
		{"id y\na 1\nb\n", "y", ":3: no column 2"},
		{"id,y\na,1\n\"b,2\n", "y", ":3:1: a quote that does not end in its line"},
		{"id,y\na,1\nb, \"2\"x\n", "y", ":3:7: text behind a quoted field"},
		{"id,\"y\n", "y", ":1:4: a quote that does not end"},
		{"id,y\na,1\n", "y", ": only 1 labels for more rows"},
		{"id,y\na,1\nb,2\nc,3\n", "y", ":4:1: more labels than the 2 rows of the data"},
		{"id,y\na,1\nb,1.5\n", "y", `:3:3: label "1.5" is not an integer`},
		{"", "y", ": only 0 labels"},
		{"outcome\nx\ny\n", "1", ":3:1: more labels than the 2 rows of the data (if the first line has names, FILE:NAME takes"},
	} {
		file := write(t, "table", c.text)
		r, err := Open([]string{data}, ReadOptions{LabelFile: file + ":" + c.name})
		if err == nil {
			_, err = readAll(r)
			r.Close()
		}
		if !errors.Is(err, fail.Input) || !strings.HasPrefix(err.Error(), file) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, and not %s", c.text, err, c.want)
		}
	}
}

// FuzzNamedFields: fields of a named column are those that encoding/csv finds, whatever the pieces of the file; or the error has
// a place.
func FuzzNamedFields(f *testing.F) {
	for _, seed := range []string{"id,y\na,1\nb,2\n", "y\n1\n", "y;\"a;b\"\n\"1\"\"\";2\n", "a\ty\n1\t\n", "# c\n\ny z\n1 2\r\n", "\"y\n1", "y,y\n1", ",y\n,\"\"\n", "\ufeffy,\n\x00", "y\n\x1f\x8b", "y,\"\" x\n"} {
		f.Add([]byte(seed), "y")
	}
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		if name == "" {
			return
		}
		var h *heading
		read := func(r io.Reader) (out []string, err error) {
			w := &fields{text: newText(NewStream(r, "in", false)), called: name}
			defer w.Close()
			for {
				field, _, err := w.next()
				h = w.heading
				if err == io.EOF {
					return out, nil
				}
				if err != nil {
					return out, err
				}
				out = append(out, string(field))
			}
		}
		var want []string
		var err error
		frugal(t, data, heaptest.Allocated(func() { want, err = read(bytes.NewReader(data)) }))
		placed(t, err, data)
		for _, r := range inPieces(data) {
			if got, e := read(r); !slices.Equal(got, want) || (e == nil) != (err == nil) {
				t.Fatalf("whole: %q, %v; in pieces: %q, %v", want, err, got, e)
			}
		}
		if err != nil || h == nil || h.separator == 0 || bytes.ContainsAny(data, "\r\x00#\v\f") || bytes.HasPrefix(data, []byte("\x1f\x8b")) || !bytes.ContainsAny(data, "\n") {
			return
		}
		c := csv.NewReader(bytes.NewReader(data))
		c.Comma, c.TrimLeadingSpace, c.FieldsPerRecord = rune(h.separator), h.separator != '\t', -1
		records, err := c.ReadAll()
		if err != nil { // Quotes within words are not a fault here.
			return
		}
		var fromCSV []string
		for _, record := range records[1:] {
			empty := strings.TrimSpace(strings.Join(record, "")) == ""
			if empty && h.separator == '\t' {
				return // A line of tabs is not a row, and one of empty quotes is.
			}
			if empty && len(record) == 1 {
				continue
			}
			fromCSV = append(fromCSV, record[h.column-1])
		}
		trim := func(words []string) (out []string) {
			for _, word := range words {
				out = append(out, strings.TrimSpace(strings.Trim(word, "\ufeff")))
			}
			return out
		}
		if !slices.Equal(trim(fromCSV), trim(want)) {
			t.Fatalf("%q, and encoding/csv reads %q", want, fromCSV)
		}
	})
}
