package packed_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/convert"
	"bigmkl/internal/dataset/packed"
)

// list is a source of the rows of a slice.
type list struct {
	rows []dataset.Row
	at   int
}

func (l *list) Next() (dataset.Row, error) {
	if l.at == len(l.rows) {
		return dataset.Row{}, io.EOF
	}
	l.at++
	return l.rows[l.at-1], nil
}

// parse returns the rows of libsvm text.
func parse(t testing.TB, text string, kind dataset.Labeling) []dataset.Row {
	t.Helper()
	rows, err := readAll(dataset.NewReader(strings.NewReader(text), "text", dataset.ReadOptions{Labels: kind}))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func readAll(src dataset.Source) (rows []dataset.Row, err error) {
	for {
		r, err := src.Next()
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

// describe returns labels and entries of rows without zeros.
func describe(rows []dataset.Row) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%q %v %v", r.Label, r.Target, r.Upper)
		for k, j := range r.Index {
			if r.Value[k] != 0 {
				fmt.Fprintf(&b, " %d:%v", j, r.Value[k])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// pack returns the packed store of rows.
func pack(t testing.TB, rows []dataset.Row, kind dataset.Labeling) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := convert.Write(context.Background(), &list{rows: rows}, &b, convert.Options{Format: "pack", Labels: kind, Dir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// write writes bytes to a file.
func write(t testing.TB, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.pack")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns the rows of a packed store.
func read(path string, kind dataset.Labeling) ([]dataset.Row, error) {
	s, err := packed.Open(path, packed.Options{Labels: kind})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return readAll(s)
}

// build makes a store.
func build(t testing.TB, src dataset.Source, kind dataset.Labeling) (*dataset.Store, error) {
	t.Helper()
	return dataset.Build(context.Background(), src, dataset.StoreOptions{Dir: t.TempDir(), Labels: kind})
}
