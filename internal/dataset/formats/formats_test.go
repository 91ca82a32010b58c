package formats

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
)

// TestLooksLikeTable has the beginnings of tables and of what is none.
func TestLooksLikeTable(t *testing.T) {
	for text, want := range map[string]bool{
		"1,2,3\n4,5,6\n": true, "a,b\n1,2\n": true, "a;b\n1;2": true, "a\tb\tc\n1\t2\t3\n": true, "5.1, 3.5, setosa\n": true,
		"\"a,b\",c\n1,2\n": true, "\ufeffa,b\n1,2\n": true, "a,b\n1,2\n3": true, // the last line is cut off
		"": false, "1\n2\n": false, "1 1:2\n": false, "1,3 1:2\n": false, "1,3\t1:2\n": false, "1\tGATTACA\n": false, ">a,b\nGA\n": false,
		"a,b\n1,2,3\n": false, "# a,b\n1,2\n": false, "1:1,2:2\n": false, "1 2 3\n": false,
	} {
		if got := looksLikeTable([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// slow yields a text byte by byte, and fails where nobody should wait for more.
type slow struct {
	text string
	t    *testing.T
}

func (s *slow) Read(p []byte) (int, error) {
	if s.text == "" {
		s.t.Fatal("more is waited for than two lines")
	}
	p[0], s.text = s.text[0], s.text[1:]
	return 1, nil
}

// TestStandardInput: tables and libsvm text are distinguished in a stream, without waiting for more than it needs.
func TestStandardInput(t *testing.T) {
	s, err := Open(context.Background(), []string{"-"}, &slow{"1 1:1\n2 1:2\n", t}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if row, err := s.Next(); err != nil || row.Label != "1" || s.Columns() != nil || s.Views() != nil {
		t.Errorf("%v, %v", row, err)
	}
	s.Close()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "label,x\n3,1\n4,2\n")
	z.Close()
	for name, text := range map[string]string{"plain": "label,x\n3,1\n4,2\n", "gzip": packed.String()} {
		s, err := Open(context.Background(), []string{"-"}, strings.NewReader(text), Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		row, err := s.Next()
		if err != nil || row.Label != "3" || row.Value[0] != 1 || row.File != "<stdin>" || row.Line != 2 || s.Columns() == nil {
			t.Errorf("%s: %v, %v", name, row, err)
		}
		s.Close()
	}
	for text, want := range map[string]error{"\x93NUMPY\x01\x00": fail.Input, "PK\x03\x04": fail.Input} {
		if _, err := Open(context.Background(), []string{"-"}, strings.NewReader(text), Options{}); !errors.Is(err, want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestFormatThatIsAsked: --format decides where lines could be either, and kinds of labels where commas mean something else.
func TestFormatThatIsAsked(t *testing.T) {
	text := "1,2\n2,3\n"
	first := func(o Options) string {
		s, err := Open(context.Background(), []string{"-"}, strings.NewReader(text), o)
		if err != nil {
			return err.Error()
		}
		defer s.Close()
		row, err := s.Next()
		if err != nil {
			return err.Error()
		}
		return row.Label
	}
	sets := Options{ReadOptions: dataset.ReadOptions{Labels: dataset.Sets}}
	if got := first(sets); got != "1,2" {
		t.Errorf("sets: %s", got)
	}
	if got := first(Options{Format: "libsvm"}); got != "1,2" {
		t.Errorf("libsvm: %s", got)
	}
	table := Options{}
	table.Table.Label = "2"
	if got := first(table); got != "2" {
		t.Errorf("a table: %s", got)
	}
	if got := first(Options{Format: "xml"}); !strings.Contains(got, "unknown format") {
		t.Errorf("xml: %s", got)
	}
}

// TestOptionsOfTables: options of tables are rejected for data in other formats, which they would not change, unless a
// test has the same options.
func TestOptionsOfTables(t *testing.T) {
	folder := t.TempDir()
	text, table := filepath.Join(folder, "rows.txt"), filepath.Join(folder, "table.csv")
	for path, content := range map[string]string{text: "1 1:1\n-1 2:1\n", table: "label,x\n3,1\n4,2\n"} {
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var o Options
	o.Table.Header, o.Table.Decimal, o.Table.Names = "auto", "point", true // What commands set without a flag.
	open := func(path string, o Options) error {
		s, err := Open(t.Context(), []string{path}, nil, o)
		if err == nil {
			s.Close()
		}
		return err
	}
	if err := open(text, o); err != nil {
		t.Error(err)
	}
	o.Table.Label, o.Table.NA = "label", []string{"gone"}
	if err := open(table, o); err != nil {
		t.Error(err)
	}
	err := open(text, o)
	if !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), "--label, --na have no effect: the data are LIBSVM text") {
		t.Error(err)
	}
	mixed, used := o, o
	mixed.Mixed, used.Trained = true, true
	for _, o := range []Options{mixed, used} {
		if err := open(text, o); err != nil {
			t.Error(err)
		}
	}
}

// TestSplitName: a name of a view comes before a file, unless there is a file of the whole name.
func TestSplitName(t *testing.T) {
	dir := t.TempDir()
	for _, c := range [][3]string{{"a=b.npy", "a", "b.npy"}, {"=b", "", "=b"}, {"a=", "", "a="}, {"x/y=z", "", "x/y=z"}, {"3=b", "", "3=b"}, {"v.1=b=c", "v.1", "b=c"}} {
		if name, path := SplitName(c[0]); name != c[1] || path != c[2] {
			t.Errorf("%s: %q, %q", c[0], name, path)
		}
	}
	t.Chdir(dir)
	if err := os.WriteFile(filepath.Join(dir, "a=b"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if name, path := SplitName("a=b"); name != "" || path != "a=b" {
		t.Errorf("a file: %q, %q", name, path)
	}
}
