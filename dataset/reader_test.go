package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"golang.org/x/sys/unix"

	"bigmkl/internal/fail"
)

func TestReaderAccepts(t *testing.T) {
	row := func(label string, line int, pairs ...float64) Row {
		r := Row{Label: label, Weight: 1, Line: line}
		for i := 0; i < len(pairs); i += 2 {
			r.Index, r.Value = append(r.Index, int32(pairs[i])-1), append(r.Value, pairs[i+1])
		}
		return r
	}
	for _, c := range []struct {
		name, in string
		want     []Row
	}{
		{"plain", "+1 1:0.5 3:-2\n-1 2:1e3\n", []Row{row("1", 1, 1, .5, 3, -2), row("-1", 2, 2, 1000)}},
		{"no last newline", "1 1:1", []Row{row("1", 1, 1, 1)}},
		{"crlf", "1 1:1\r\n2 2:2\r\n", []Row{row("1", 1, 1, 1), row("2", 2, 2, 2)}},
		{"crlf, no last newline", "1 1:1\r\n2 2:2\r", []Row{row("1", 1, 1, 1), row("2", 2, 2, 2)}},
		{"tabs and blanks", " \t1\t1:1  \t 2:2 \t\n", []Row{row("1", 1, 1, 1, 2, 2)}},
		{"byte order mark", "\ufeff1 1:1\n", []Row{row("1", 1, 1, 1)}},
		{"byte order mark, comment", "\ufeff# x\n1 1:1\n", []Row{row("1", 2, 1, 1)}},
		{"byte order mark within", "1 1:1\n\ufeff1 1:1\n", []Row{row("1", 1, 1, 1), row("\ufeff1", 2, 1, 1)}},
		{"comments", "# head\n\n1 1:1 # 2:nan\n  # only\n2 1:2#3:3\n", []Row{row("1", 3, 1, 1), row("2", 5, 1, 2)}},
		{"no label", "1:2 3:4\n", []Row{row("", 1, 1, 2, 3, 4)}},
		{"qid", "3 qid:17 1:1\n", []Row{row("3", 1, 1, 1)}},
		{"label only", "3\n-0 \n", []Row{row("3", 1), row("0", 2)}},
		{"names", "spam 1:1\nclass:ham 1:1\n1,3 1:1\n", []Row{row("spam", 1, 1, 1), row("class:ham", 2, 1, 1), row("1,3", 3, 1, 1)}},
		{"number forms", "1 1:.5 2:5. 3:+1E2 4:-0 5:00012 6:1e-400 7:0e9999999", []Row{row("1", 1, 1, .5, 2, 5, 3, 100, 4, 0, 5, 12, 6, 0, 7, 0)}},
		{"largest index", "1 2147483647:1\n", []Row{row("1", 1, 2147483647, 1)}},
		{"padded index", "1 0002:1\n", []Row{row("1", 1, 2, 1)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := mustParse(t, c.in)
			if !sameRows(got, c.want) {
				t.Fatalf("%v\nwant %v", got, c.want)
			}
			for i := range got {
				if got[i].Line != c.want[i].Line || got[i].File != "in" {
					t.Errorf("row %d from %s:%d, want line %d", i, got[i].File, got[i].Line, c.want[i].Line)
				}
			}
		})
	}
}

func TestReaderRefuses(t *testing.T) {
	for _, c := range []struct {
		in           string
		line, column int
		message      string
	}{
		{"", 0, 0, "no rows"},
		{"# only\n\n \t\r\n", 0, 0, "no rows"},
		{"1 1:nan\n", 1, 3, "not a plain decimal"},
		{"1 1:1 2:NaN\n", 1, 7, "not a plain decimal"},
		{"1 1:inf\n", 1, 3, "not a plain decimal"},
		{"1 1:-Infinity\n", 1, 3, "not a plain decimal"},
		{"1 1:1e400\n", 1, 3, "beyond a float64"},
		{"1 1:-1e400\n", 1, 3, "beyond a float64"},
		{"1 1:1_000\n", 1, 3, "not a plain decimal"},
		{"1 1:0x1p3\n", 1, 3, "not a plain decimal"},
		{"1 1:0x10\n", 1, 3, "not a plain decimal"},
		{"1 1:1,5\n", 1, 3, "not a plain decimal"},
		{"1 1:1e\n", 1, 3, "not a plain decimal"},
		{"1 1:1e+\n", 1, 3, "not a plain decimal"},
		{"1 1:.\n", 1, 3, "not a plain decimal"},
		{"1 1:-\n", 1, 3, "not a plain decimal"},
		{"1 1:--1\n", 1, 3, "not a plain decimal"},
		{"1 1:1-1\n", 1, 3, "not a plain decimal"},
		{"1 1:1\r2:1\n", 1, 3, "not a plain decimal"},
		{"1 1:\n", 1, 3, "not a plain decimal"},
		{"1 1: 2:3\n", 1, 3, "not a plain decimal"},
		{"1 :1\n", 1, 3, "not a positive integer"},
		{"1 1:2:3\n", 1, 3, "not a plain decimal"},
		{"1:2:3\n", 1, 1, "not a plain decimal"},
		{"1:\n", 1, 1, "not a plain decimal"},
		{":1\n", 1, 1, "not a positive integer"},
		{"a:1 2:1\n", 1, 1, "not a positive integer"},
		{"1 0:1\n", 1, 3, "feature index 0"},
		{"1 -1:1\n", 1, 3, "not a positive integer"},
		{"1 +1:1\n", 1, 3, "not a positive integer"},
		{"1 1.5:1\n", 1, 3, "not a positive integer"},
		{"1 2:1 2:1\n", 1, 7, "strictly ascending"},
		{"1 2:1 1:1\n", 1, 7, "strictly ascending"},
		{"1 2147483648:1\n", 1, 3, "above 2147483647"},
		{"1 9223372036854775808:1\n", 1, 3, "above 2147483647"},
		{"1 18446744073709551617:1\n", 1, 3, "above 2147483647"},
		{"1 99999999999999999999999999:1\n", 1, 3, "above 2147483647"},
		{"1 1\n", 1, 3, "not an index:value pair"},
		{"1 1:1 x\n", 1, 7, "not an index:value pair"},
		{"1 qid:x 1:1\n", 1, 3, "query id"},
		{"1 qid: 1:1\n", 1, 3, "query id"},
		{"qid:1 1:1\n", 1, 1, "not a positive integer"},
		{"1 1:1 qid:1\n", 1, 7, "not a positive integer"},
		{"\n1 1:1\n1.5 1:1\n", 3, 1, "regression data?"},
		{" nan 1:1\n", 1, 2, "regression data?"},
		{"-Inf 1:1\n", 1, 1, "regression data?"},
		{"0x1p3 1:1\n", 1, 1, "regression data?"},
		{"1e400 1:1\n", 1, 1, "too large"},
		{"1_000 1:1\n", 1, 1, "regression data?"},
		{"1 1:1\n1 1:\x001\n", 2, 5, "NUL"},
		{"1 1:1 # \x00\n", 1, 9, "NUL"},
		{"\ufeff1 0:1\n", 1, 3, "feature index 0"},
	} {
		t.Run(fmt.Sprintf("%q", c.in), func(t *testing.T) {
			_, err := parseString(c.in)
			wantFault(t, err, fail.Input, "in", c.line, c.column, c.message)
		})
	}
}

func TestReaderKeepsItsError(t *testing.T) {
	r := NewReader(strings.NewReader("1 1:1\n1 0:1\n1 1:1\n"), "in", ReadOptions{})
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	_, first := r.Next()
	_, second := r.Next()
	if first == nil || first != second {
		t.Errorf("%v, then %v", first, second)
	}
}

func TestMaxFeatures(t *testing.T) {
	r := NewReader(strings.NewReader("1 7:1\n1 8:1\n"), "in", ReadOptions{MaxFeatures: 7})
	rows, err := readAll(r)
	if len(rows) != 1 {
		t.Errorf("%d rows", len(rows))
	}
	wantFault(t, err, fail.Input, "in", 2, 3, "above 7")
	for _, bad := range []ReadOptions{{MaxFeatures: -1}, {MaxFeatures: 1 << 31}, {Weights: "file:0"}} {
		if _, err := NewReader(strings.NewReader(""), "in", bad).Next(); err == nil || err == io.EOF {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestChunks reads the same text in pieces of every kind.
func TestChunks(t *testing.T) {
	text := "\ufeff# head\r\n+1 1:0.25 7:-3e2 # x\r\n\n-1\nname 2:1 3:2 4:3"
	for _, tail := range []string{"", "\n", "\n1 2:x\n", "\n\n1 5:5 4:4", "\n\x00"} {
		whole, wholeErr := parseString(text + tail)
		for name, slow := range map[string]func(io.Reader) io.Reader{
			"one byte": iotest.OneByteReader, "half": iotest.HalfReader, "data with error": iotest.DataErrReader,
		} {
			rows, err := readAll(NewReader(slow(strings.NewReader(text+tail)), "in", ReadOptions{}))
			if !sameRows(rows, whole) || !samePlaces(rows, whole) || fmt.Sprint(err) != fmt.Sprint(wholeErr) {
				t.Errorf("%s, tail %q: %v %v, whole: %v %v", name, tail, rows, err, whole, wholeErr)
			}
		}
	}
}

func TestReadFaultCutsTheLine(t *testing.T) {
	r := io.MultiReader(strings.NewReader("1 1:1\n1 1:12"), iotest.ErrReader(io.ErrClosedPipe))
	rows, err := readAll(NewReader(r, "in", ReadOptions{}))
	if len(rows) != 1 {
		t.Errorf("%d rows: half a line must not count", len(rows))
	}
	wantFault(t, err, fail.Input, "in", 0, 0, "closed pipe")
}

func TestNoProgress(t *testing.T) {
	stuck := readerFunc(func([]byte) (int, error) { return 0, nil })
	_, err := readAll(NewReader(stuck, "in", ReadOptions{}))
	wantFault(t, err, fail.Input, "in", 0, 0, io.ErrNoProgress.Error())
}

// TestPipe: a pipe can be opened only once, and not before its rows are asked for.
func TestPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	r, err := Open([]string{path}, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	written := make(chan error)
	go func() { written <- os.WriteFile(path, []byte("1 1:1\n2 2:2\n"), 0) }()
	rows, err := readAll(r)
	if len(rows) != 2 || err != nil {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}

func TestLongLine(t *testing.T) {
	text := "1 1:1\n1 1:1 #" + strings.Repeat("x", 50) + "\n1 1:1\n"
	for limit, want := range map[int]int{56: 1, 57: 3} {
		l := newLines(iotest.HalfReader(strings.NewReader(text)), "in")
		l.max = limit
		n := 0
		var err error
		for {
			if _, err = l.next(); err != nil {
				break
			}
			n++
		}
		if n != want {
			t.Errorf("limit %d: %d lines, then %v", limit, n, err)
		}
		if limit == 56 {
			wantFault(t, err, fail.Input, "in", 2, 0, "line longer")
		}
	}
	// The real limit, without a newline in sight.
	_, err := readAll(NewReader(io.LimitReader(ones{}, maxLine+2), "in", ReadOptions{}))
	wantFault(t, err, fail.Input, "in", 1, 0, "line longer")
}

type ones struct{}

func (ones) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '1'
	}
	return len(p), nil
}

func TestSeveralFiles(t *testing.T) {
	a, b, empty := write(t, "a", "1 1:1\n2 2:2"), write(t, "b", "# b\n3 3:3\n4 0:1\n"), write(t, "empty", "")
	r, err := Open([]string{a, empty, b}, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := readAll(r)
	if len(rows) != 3 || rows[1].File != a || rows[1].Line != 2 || rows[2].File != b || rows[2].Line != 2 {
		t.Errorf("rows %v", rows)
	}
	wantFault(t, err, fail.Input, b, 3, 3, "feature index 0")

	r, err = Open([]string{empty, empty}, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Next()
	wantFault(t, err, fail.Input, empty, 0, 0, "no rows")
}

func TestOpenFaults(t *testing.T) {
	dir := t.TempDir()
	good := write(t, "good", "1 1:1\n")
	loop := filepath.Join(dir, "loop")
	os.Symlink(loop, loop)
	for _, bad := range []string{dir, filepath.Join(dir, "missing"), loop} {
		_, err := Open([]string{good, bad}, ReadOptions{})
		wantFault(t, err, fail.Input, bad, 0, 0, "")
		_, err = Open([]string{good}, ReadOptions{Weights: bad})
		wantFault(t, err, fail.Input, bad, 0, 0, "")
	}
	if os.Geteuid() != 0 {
		secret := write(t, "secret", "1 1:1\n")
		os.Chmod(secret, 0)
		_, err := Open([]string{secret}, ReadOptions{})
		wantFault(t, err, fail.Input, secret, 0, 0, "permission")
	}
	for _, paths := range [][]string{nil, {"-", good, "-"}} {
		_, err := Open(paths, ReadOptions{})
		wantFault(t, err, fail.Usage, "", 0, 0, "")
	}
	_, err := Open([]string{"-"}, ReadOptions{Weights: "-:2"})
	wantFault(t, err, fail.Usage, "", 0, 0, "standard input")
}

func TestStdin(t *testing.T) {
	f, err := os.Open(write(t, "in", "1 1:1\n2 1:x\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	defer func(old *os.File) { os.Stdin = old }(os.Stdin)
	os.Stdin = f
	r, err := Open([]string{"-"}, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = readAll(r)
	wantFault(t, err, fail.Input, "<stdin>", 2, 3, "not a plain decimal")
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := f.Stat(); err != nil {
		t.Errorf("Close closed standard input: %v", err)
	}
}

func TestSources(t *testing.T) {
	ended := false
	rows := func(yield func(Row) bool) {
		defer func() { ended = true }()
		for i := range 5 {
			if !yield(Row{Label: "a", Index: []int32{int32(i)}, Value: []float64{1}}) {
				return
			}
		}
	}
	s := FromSeq(rows)
	got, err := readAll(Limit(s, 3))
	if len(got) != 3 || err != nil || ended {
		t.Errorf("%d rows, %v, ended %v", len(got), err, ended)
	}
	if s.Close(); !ended {
		t.Error("Close left the iterator running")
	}
	if _, err := s.Next(); err != io.EOF {
		t.Errorf("after Close: %v", err)
	}
	got, err = readAll(Limit(FromSeq(rows), 0))
	if len(got) != 5 || err != nil {
		t.Errorf("no limit: %d rows, %v", len(got), err)
	}
}

// TestFileChanges: a file that is written to while it is read has no end that could be trusted; one that another replaces has.
func TestFileChanges(t *testing.T) {
	const rows = "1 1:1\n2 2:2\n"
	for name, change := range map[string]func(path string) error{
		"shorter": func(path string) error { return os.Truncate(path, 6) },
		"longer":  func(path string) error { return os.WriteFile(path, []byte(rows+rows), 0o600) },
		"another": func(path string) error {
			err := os.WriteFile(path, []byte(strings.ReplaceAll(rows, "1", "3")), 0o600)
			// Clocks of file systems are too coarse for a test.
			return errors.Join(err, os.Chtimes(path, time.Time{}, time.Now().Add(time.Second)))
		},
	} {
		path := write(t, "data", rows)
		r, err := Open([]string{path}, ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
		if err := change(path); err != nil {
			t.Fatal(err)
		}
		_, err = readAll(r)
		t.Log(name)
		wantFault(t, err, fail.Input, path, 0, 0, "changed")
		r.Close()
	}
	path := write(t, "data", rows)
	r, err := Open([]string{path}, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(write(t, "other", "3 3:3\n"), path); err != nil {
		t.Fatal(err)
	}
	if got, err := readAll(r); err != nil || len(got) != 1 || got[0].Label != "2" {
		t.Errorf("replaced: %v, %v", got, err)
	}
}
