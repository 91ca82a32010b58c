package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
)

// put writes a file and returns its path.
func put(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// rows prints the rows of a source as libsvm text.
func rows(s *Source, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer s.Close()
	var b strings.Builder
	for {
		r, err := s.Next()
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return b.String(), err
		}
		b.WriteString(r.Label)
		for k, j := range r.Index {
			fmt.Fprintf(&b, " %d:%v", j+1, r.Value[k])
		}
		b.WriteByte('\n')
	}
}

// readFile reads a file, and the same bytes as a stream, which must give the same.
func readFile(t *testing.T, text string, o Options) (string, error) {
	t.Helper()
	path := put(t, "in", text)
	got, err := rows(Open(context.Background(), []string{path}, o))
	streamed, again := rows(FromStream(dataset.NewStream(strings.NewReader(text), path, false), o))
	if got != streamed || fmt.Sprint(err) != fmt.Sprint(again) {
		t.Errorf("%.40q: %q, %v, and as a stream %q, %v", text, got, err, streamed, again)
	}
	return got, err
}

// TestForms reads the same rows in all the forms that a table may have.
func TestForms(t *testing.T) {
	const want = "a 1:1 2:2.5\nb 2:-3\n"
	for name, c := range map[string]struct {
		text string
		o    Options
	}{
		"header":      {"x,label,z\n1,a,2.5\n0,b,-3\n", Options{}},
		"no header":   {"1,a,2.5\n0,b,-3\n", Options{Label: "2"}},
		"said so":     {"1,a,2.5\n0,b,-3\n", Options{Label: "2", Header: "no"}},
		"CRLF":        {"x,label,z\r\n1,a,2.5\r\n0,b,-3", Options{}},
		"mark":        {"\ufeffx,label,z\n1,a,2.5\n0,b,-3\n", Options{}},
		"mark, quote": {"\ufeff\"x\",label,z\n1,a,2.5\n0,b,-3\n", Options{}},
		"blanks":      {" x , Class , z \n 1 , a , 2.5 \n\n0, b, -3\n", Options{}},
		"quotes":      {"\"x\",\"y\",\"z\"\n\"1\",\"a\",\"2.5\"\n\"0\",\"b\",\"-3\"\n", Options{}},
		"semicolons":  {"x;target;z\n1;a;2.5\n0;b;-3\n", Options{}},
		"tabs":        {"x\tlabel\tz\n1\ta\t2.5\n0\tb\t-3\n", Options{}},
		"tabs, said":  {"x,1\tlabel\tz,1\n1\ta\t2.5\n0\tb\t-3\n", Options{Separator: '\t'}},
		"named label": {"x,what,z\n1,a,2.5\n0,b,-3\n", Options{Label: "what"}},
		"left out":    {"n,x,label,z\nr 1,1,a,2.5\n?,0,b,-3\n", Options{Skip: []string{"n"}}},
		"by number":   {",x,label,z\nr 1,1,a,2.5\nr 2,0,b,-3\n", Options{Skip: []string{"1"}}},
	} {
		if got, err := readFile(t, c.text, c.o); got != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if got, err := rows(Open(context.Background(), []string{put(t, "1", "x,label,z\n1,a,2.5\n"), put(t, "2", "label,z,x\nb,-3,0\n")}, Options{})); got != want || err != nil {
		t.Errorf("two files: %q, %v", got, err)
	}
}

// TestCategories: words become features in the order of their bytes, wherever in the files they stand.
func TestCategories(t *testing.T) {
	text := "x,c,label,z\n5,red,1,1\n6,blue,0,2\n"
	if got, err := readFile(t, text, Options{}); got != "1 1:5 3:1 4:1\n0 1:6 2:1 4:2\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := readFile(t, "c,label\n1,1\n2,0\nNA,0\n", Options{Categories: []string{"1"}}); got != "1 1:1\n0 2:1\n0 3:1\n" || err != nil {
		t.Errorf("categories that are numbers: %q, %v", got, err)
	}
	var long strings.Builder
	long.WriteString("c,label\n")
	for i := range 2 * SampleRows {
		fmt.Fprintf(&long, "%s,%d\n", []string{"a", "b"}[i%2], i%2)
	}
	long.WriteString("0,1\n")
	path := put(t, "long", long.String())
	s, err := Open(context.Background(), []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(s.Columns().Features); got != "[{c [0 a b]  0 false}]" {
		t.Errorf("columns %s", got)
	}
	if _, err := rows(s, nil); err != nil {
		t.Error(err)
	}
	_, err = rows(FromStream(dataset.NewStream(strings.NewReader(long.String()), "pipe", false), Options{}))
	if err == nil || !strings.Contains(err.Error(), `pipe:2002:1: the word "0" of column c is not among the first 1000 rows`) {
		t.Errorf("a late word in a pipe: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, []string{path}, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestColumnsHaveNames: columns are kept if they have names or categories, and an error about a table without a header names the column of the
// labels where a model has fewer features than columns.
func TestColumnsHaveNames(t *testing.T) {
	for text, kept := range map[string]bool{"x,y\n1,a\n": true, "1,a\n2,b\n": false, "red,1\nblue,2\n": true} {
		s, err := Open(t.Context(), []string{put(t, "c", text)}, Options{Label: "2"})
		if err != nil {
			t.Fatal(err)
		}
		if (s.Columns() != nil) != kept {
			t.Errorf("%q: columns %v", text, s.Columns())
		}
		s.Close()
	}
	o := Options{NumbersOnly: true, Features: 2, Unlabelled: true}
	_, err := readFile(t, "1,2,3\n", o)
	if err == nil || !strings.Contains(err.Error(), "3 columns without names, and the model has 2 features (--label COLUMN") {
		t.Errorf("a label among the features: %v", err)
	}
	o.Label = "1"
	if got, err := readFile(t, "1,2,3\n", o); got != "1 1:2 2:3\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// TestViewsOfPrefixes: columns side by side whose names begin alike are views.
func TestViewsOfPrefixes(t *testing.T) {
	s, err := Open(context.Background(), []string{put(t, "in", "a.x,a.c,b,y,c.x,d.x,c.y\n1,red,2,0,3,4,5\n1,blue,2,0,3,4,5\n")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := fmt.Sprint(s.Views()); got != "[{a 1 3} {d 6 6}]" {
		t.Errorf("views %s", got)
	}
}

// TestFaults has a table for each way in which it cannot be read.
func TestFaults(t *testing.T) {
	var words strings.Builder
	words.WriteString("w,label\n")
	for i := range mostCategories + 1 {
		fmt.Fprintf(&words, "w%d,1\n", i)
	}
	long := strings.Repeat("1,1\n", SampleRows)
	for _, c := range []struct {
		text, want string
		o          Options
	}{
		{"", "no rows", Options{}},
		{"label,b\n", "", Options{}},
		{"1.5,b\n", "the columns are 1, 2)", Options{}},
		{"a,b\n1,2\n", "no column is called label, class, target or y (--label COLUMN names the column of the labels; the columns are a, b)", Options{}},
		{"a,b\n1,2\n", "no column is called \"c\" (the columns are a, b)", Options{Label: "c"}},
		{"a,b\n1,2\n", "no column is called \"3\"", Options{Skip: []string{"3"}}},
		{"label,y,a\n1,2,3\n", "both column label and column y", Options{}},
		{"a,a,label\n1,2,3\n", "two columns or categories are called \"a\"", Options{}},
		{",a,label\n1,2,3\n", "column 1 has no name (--id 1", Options{}},
		{"label\n1\n", "no column is a feature", Options{Header: "yes"}},
		{"a,label\n1,2\n1\n", ":3:1: 1 columns in this row and 2 in the first", Options{}},
		{"a,label\n1,2\n,2\n", ":3:1: the value of column a is missing", Options{}},
		{"a,label\n1,2\nNaN,2\n", ":3:1: the value of column a is missing", Options{}},
		{"a,label\n1,2\n\"1\"2,2\n", ":3:3: extraneous or missing", Options{}},
		{"a,label\n1,2\n\"1,2\n", "extraneous or missing", Options{}},
		{"a,label\n1,\x00\n", "NUL byte", Options{}},
		{"a,label\n1,1.5\n", ":2:3: label \"1.5\" is not an integer", Options{}},
		{words.String(), "column w has a word of its own in nearly every row, such as \"w0\" (--id w", Options{}},
		{"a,label\n" + long + "word,1\n", ":1002:1: \"word\" of column a is not a plain decimal number (--categories a", Options{}},
		{"a,label\n" + long + "1e999,1\n", ":1002:1: \"1e999\" of column a", Options{}},
		{"a,label\nword,1\nother,1\n", "column a has no numbers", Options{NumbersOnly: true, Header: "yes"}},
		{"a,label\n1,2\n", "unknown kind of header", Options{Header: "perhaps"}},
		{"a,label\n1,2\n", "is the label and is left out", Options{Label: "label", Skip: []string{"2"}}},
	} {
		_, err := readFile(t, c.text, c.o)
		if c.want == "" { // A header without rows, of which package dataset complains.
			if err != nil {
				t.Errorf("%.40q: %v", c.text, err)
			}
			continue
		}
		if (!errors.Is(err, fail.Input) && !errors.Is(err, fail.Usage)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q: %v, and not %s", c.text, err, c.want)
		}
	}
}

// TestLongRows: what would take too much memory is rejected before it does.
func TestLongRows(t *testing.T) {
	for want, text := range map[string]string{
		"row longer than":       "a,label\n1,\"" + strings.Repeat("x\n", 40<<20),
		"more than 1048576 col": strings.Repeat("1,", 2<<20) + "\n",
	} {
		if !testlevel.Tried(t, want, 2, 1) {
			continue
		}
		_, err := rows(FromStream(dataset.NewStream(strings.NewReader(text), "in", false), Options{}))
		if !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %s", err, want)
		}
	}
}

// TestWordAmongNumbers: a word among many numbers is a slip, with its place, and no category.
func TestWordAmongNumbers(t *testing.T) {
	build := func(numbers int, word string) string {
		var b strings.Builder
		b.WriteString("label,size,age\n")
		for i := range numbers {
			fmt.Fprintf(&b, "%d,%d,%d\n", i%2, i, i+20)
			if i == 3 {
				fmt.Fprintf(&b, "1,7,%s\n", word)
			}
		}
		return b.String()
	}
	for _, word := range []string{"inf", "\"1,5\"", "12 years"} {
		_, err := readFile(t, build(10, word), Options{})
		if err == nil || !strings.Contains(err.Error(), ":6:5: ") || !strings.Contains(err.Error(), []string{"a column of numbers", "values of column age"}[min(1, strings.Count(word, ","))]) ||
			!strings.Contains(err.Error(), "--categories age") {
			t.Errorf("%s: %v", word, err)
		}
		if _, err := readFile(t, build(10, word), Options{Categories: []string{"age"}}); err != nil {
			t.Errorf("%s, as the user says: %v", word, err)
		}
	}
	codes := "label,doors\n" + strings.Repeat("0,2\n1,3\n0,4\n1,5more\n", 4)
	if got, err := readFile(t, codes, Options{}); !strings.HasPrefix(got, "0 1:1\n1 2:1\n0 3:1\n1 4:1\n") || err != nil {
		t.Errorf("codes, most of which are numbers: %q, %v", got, err)
	}
}
