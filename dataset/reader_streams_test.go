package dataset

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"bigmkl/internal/fail"
	"bigmkl/internal/pipetest"
)

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
	pipetest.Make(t, path)
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
