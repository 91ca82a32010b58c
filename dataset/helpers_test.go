package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"bigmkl/internal/fail"
)

// readAll copies all rows of a source.
func readAll(s Source) ([]Row, error) {
	var rows []Row
	for {
		r, err := s.Next()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
		r.Index, r.Value = slices.Clone(r.Index), slices.Clone(r.Value)
		rows = append(rows, r)
	}
}

func parseString(s string) ([]Row, error) {
	return readAll(NewReader(strings.NewReader(s), "in", ReadOptions{}))
}

func mustParse(t *testing.T, s string) []Row {
	t.Helper()
	rows, err := parseString(s)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// sameRows ignores where rows come from.
func sameRows(a, b []Row) bool {
	return slices.EqualFunc(a, b, func(x, y Row) bool {
		return x.Label == y.Label && math.Float64bits(x.Target) == math.Float64bits(y.Target) && x.Weight == y.Weight && slices.Equal(x.Index, y.Index) && slices.Equal(x.Value, y.Value)
	})
}

func samePlaces(a, b []Row) bool {
	return slices.EqualFunc(a, b, func(x, y Row) bool { return x.File == y.File && x.Line == y.Line })
}

// write puts content in a file of the test's folder and returns its path.
func write(t testing.TB, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantFault checks class, place and a piece of the message.
func wantFault(t *testing.T, err, class error, file string, line, column int, message string) {
	t.Helper()
	var e *fail.Error
	if !errors.As(err, &e) || !errors.Is(err, class) {
		t.Fatalf("error %v, want class %v", err, class)
	}
	if e.File != file || e.Line != line || e.Column != column || !strings.Contains(e.Message, message) {
		t.Fatalf("error %v, want %s:%d:%d: %s", err, file, line, column, message)
	}
}

func gzipped(s string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.Bytes()
}

func zstded(s string) []byte {
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	defer w.Close()
	return w.EncodeAll([]byte(s), nil)
}
