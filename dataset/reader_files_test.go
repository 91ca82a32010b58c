package dataset

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bigmkl/internal/fail"
)

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
