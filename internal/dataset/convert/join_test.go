package convert_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/dataset/convert"
	"bigmkl/internal/fail"
)

// write writes a file of a test and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// drawn is a table of random words for some objects, with a column of identifiers somewhere.
type drawn struct {
	name    string
	columns []string
	ids     []string
	words   map[string][]string
	at      int
}

// draw draws a table. Words have separators, quotes and line ends, and may be empty.
func draw(r *rand.Rand, k int, objects []string) *drawn {
	d := &drawn{words: map[string][]string{}}
	if r.IntN(3) > 0 {
		d.name = fmt.Sprintf("view%d", k)
	}
	for c := range r.IntN(5) {
		d.columns = append(d.columns, fmt.Sprintf("column %d, of table %d", c, k))
	}
	d.at = r.IntN(len(d.columns) + 1)
	for _, id := range objects {
		if r.IntN(4) > 0 {
			d.ids = append(d.ids, id)
		}
	}
	r.Shuffle(len(d.ids), func(i, j int) { d.ids[i], d.ids[j] = d.ids[j], d.ids[i] })
	parts := []string{"", "1.5", "a b", "\"", ",", ";", "\t", "\n", " x", "ä", "-3e4"}
	for _, id := range d.ids {
		for range d.columns {
			word := ""
			for range r.IntN(4) {
				word += parts[r.IntN(len(parts))]
			}
			d.words[id] = append(d.words[id], word)
		}
	}
	return d
}

// text writes the table with a separator.
func (d *drawn) text(t *testing.T, separator rune) string {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = separator
	w.Write(slices.Insert(slices.Clone(d.columns), d.at, "the id"))
	for _, id := range d.ids {
		w.Write(slices.Insert(slices.Clone(d.words[id]), d.at, id))
	}
	w.Flush()
	if w.Error() != nil {
		t.Fatal(w.Error())
	}
	return b.String()
}

// reference joins tables in the plainest way.
func reference(tables []*drawn) [][]string {
	header := []string{"the id"}
	var ids []string
	for _, d := range tables {
		for _, c := range d.columns {
			if d.name != "" {
				c = d.name + "." + c
			}
			header = append(header, c)
		}
		for _, id := range d.ids {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	records := [][]string{header}
	for _, id := range ids {
		record := []string{id}
		for _, d := range tables {
			words := d.words[id]
			if words == nil {
				words = make([]string, len(d.columns))
			}
			record = append(record, words...)
		}
		records = append(records, record)
	}
	return records
}

// TestJoin joins random tables as the reference does.
func TestJoin(t *testing.T) {
	t.Parallel()
	const seed = 11
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for trial := range 300 {
		var objects []string
		for k := range r.IntN(40) + 1 {
			objects = append(objects, fmt.Sprintf("p,%d", k))
		}
		var list []*drawn
		var tables []convert.Table
		for k := range r.IntN(4) + 1 {
			d := draw(r, k, objects)
			list = append(list, d)
			separator := []rune{',', ';', '\t'}[r.IntN(3)]
			tables = append(tables, convert.Table{Name: d.name, Path: write(t, "t.csv", d.text(t, separator)), Separator: byte(separator)})
		}
		want := reference(list)
		j, err := convert.Join(t.Context(), tables, convert.JoinOptions{ID: "the id"})
		if len(want) == 1 {
			if !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), "no rows") {
				t.Fatalf("trial %d: no rows: %v", trial, err)
			}
			continue
		}
		if err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		var b bytes.Buffer
		if n, err := j.Write(t.Context(), &b); err != nil || n != len(want)-1 || j.ID() != "the id" {
			t.Fatalf("trial %d: %d rows, %v", trial, n, err)
		}
		got, err := csv.NewReader(&b).ReadAll()
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("trial %d: %v\n%q\n%q", trial, err, got, want)
		}
		for k, n := range j.Lacks() {
			if n != len(want)-1-len(list[k].ids) {
				t.Errorf("trial %d: table %d lacks %d objects", trial, k, n)
			}
		}
	}
}

// TestBadJoins has tables that cannot be joined, each with the text of the error.
func TestBadJoins(t *testing.T) {
	t.Parallel()
	good := "id,x\na,1\nb,2\n"
	for want, c := range map[string][]string{
		"2.csv:1:1: no column is called id (the columns here are key, y":                    {good, "key,y\na,1\n"},
		"2.csv:1:4: two columns are called id":                                              {good, "id,id\na,1\n"},
		"2.csv:1:4: two columns are called x, and ":                                         {good, "id,x\na,1\n"},
		"1.csv:1:6: two columns are called x, and ":                                         {"id,x,x\na,1,2\n"},
		"2.csv:3:3: the row has no value in column id (":                                    {good, "y,id\n1,a\n2, \n"},
		"1.csv:4:1: \"a\" occurs twice in column id, first in line 2 (":                     {"id,x\na,1\nb,2\n\"a\",3\n"},
		"1.csv:2:1: 3 columns in this row and 2 in the first (fields with separators or li": {"id,x\na,1,2\n"},
		"1.csv:2:1: 1 columns in this row and 2 in the first (fields with separators or li": {"id,x\na\n"},
		"1.csv: no rows": {""},
		"1.csv:2:4: bare \" in non-quoted-field (a quote within quotes":                {"id,x\na,5\"7\n"},
		"1.csv: NUL byte (the data are text, plain or":                                 {"\x93NUMPY\x01\x00"},
		"2.csv:1:4: column view.y has the name of the file view before its point (ano": {"view=" + good, "id,view.y\na,1\n"},
		"two files are called view (":                                                  {"view=" + good, "view=id,y\na,1\n"},
	} {
		var tables []convert.Table
		for k, text := range c {
			name, rest, named := strings.Cut(text, "=")
			if !named {
				name, rest = "", text
			}
			tables = append(tables, convert.Table{Name: name, Path: write(t, fmt.Sprintf("%d.csv", k+1), rest)})
		}
		_, err := convert.Join(t.Context(), tables, convert.JoinOptions{ID: "id"})
		if err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, fail.Input) && !errors.Is(err, fail.Usage) {
			t.Errorf("%q: %v\nwant %s", c, err, want)
		}
	}
	if _, err := convert.Join(t.Context(), []convert.Table{{Path: filepath.Join(t.TempDir(), "none")}}, convert.JoinOptions{ID: "id"}); !errors.Is(err, fail.Input) {
		t.Errorf("no file: %v", err)
	}
}

// TestJoinByNumber: a column that has no name, as R and pandas write it, is found by its number.
func TestJoinByNumber(t *testing.T) {
	t.Parallel()
	tables := []convert.Table{{Name: "v", Path: write(t, "1.csv", "\"\",\"x\"\n\"a\",1\n")}, {Path: write(t, "2.csv", "key,y\nb,2\na,3\n")}}
	j, err := convert.Join(t.Context(), tables, convert.JoinOptions{ID: "1"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if _, err := j.Write(t.Context(), &b); err != nil || b.String() != "1,v.x,y\na,1,3\nb,,2\n" {
		t.Errorf("%v, %q", err, b.String())
	}
}

// failing is a writer that fails after some bytes.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestJoinEnds: a context ends the reading and the writing, and faults of the output are returned.
func TestJoinEnds(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("id,x\n")
	for k := range 40_000 {
		fmt.Fprintf(&text, "object %d,%d\n", k, k)
	}
	tables := []convert.Table{{Path: write(t, "1.csv", text.String())}}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := convert.Join(ended, tables, convert.JoinOptions{ID: "id"}); !errors.Is(err, context.Canceled) {
		t.Errorf("reading: %v", err)
	}
	j, err := convert.Join(t.Context(), tables, convert.JoinOptions{ID: "id"})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := j.Write(ended, io.Discard); !errors.Is(err, context.Canceled) || n != 0 {
		t.Errorf("writing: %d rows, %v", n, err)
	}
	for _, left := range []int{0, 300_000} {
		if _, err := j.Write(t.Context(), &failing{left}); !errors.Is(err, errFull) {
			t.Errorf("%d bytes: %v", left, err)
		}
	}
	var b strings.Builder
	if _, err := j.Write(t.Context(), &b); err != nil || b.String() != text.String() {
		t.Errorf("again: %v, or other bytes", err)
	}
}

// FuzzJoin joins two texts. A joined table has each object once and rows as long as its header, and joined by itself it is the same
// text.
func FuzzJoin(f *testing.F) {
	f.Add("id,x\na,1\nb,2\n", "id\ty\nb\t\"c\nd\"\n", true)
	f.Add("id;x\na;\"1;2\"\n", "y,id\r\n,a\r\n ,b\r\n", false)
	f.Add("\ufeff1,2\n3,4\n", "1\n3\n", true)
	f.Fuzz(func(t *testing.T, a, b string, named bool) {
		name := ""
		if named {
			name = "v"
		}
		tables := []convert.Table{{Name: name, Path: write(t, "a", a)}, {Path: write(t, "b", b)}}
		j, err := convert.Join(t.Context(), tables, convert.JoinOptions{ID: "1"})
		if err != nil {
			if !errors.Is(err, fail.Input) && !errors.Is(err, fail.Usage) {
				t.Fatalf("an error without a class: %v", err)
			}
			return
		}
		var once, again bytes.Buffer
		if _, err := j.Write(t.Context(), &once); err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(bytes.NewReader(once.Bytes())).ReadAll()
		if err != nil {
			t.Fatalf("%v\n%q", err, once.Bytes())
		}
		ids := map[string]bool{}
		for _, record := range records[1:] {
			if id := record[0]; ids[id] || id == "" {
				t.Fatalf("%q occurs twice or is nothing\n%q", id, once.Bytes())
			}
			ids[record[0]] = true
		}
		j, err = convert.Join(t.Context(), []convert.Table{{Path: write(t, "c", once.String()), Separator: ','}}, convert.JoinOptions{ID: "1"})
		if err != nil {
			t.Fatalf("the joined table is not read: %v\n%q", err, once.Bytes())
		}
		if _, err := j.Write(t.Context(), &again); err != nil || again.String() != once.String() {
			t.Fatalf("%v\n%q\n%q", err, once.Bytes(), again.Bytes())
		}
	})
}
