package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"bigmkl/internal/fail"
	"bigmkl/internal/heaptest"
	"bigmkl/internal/testlevel"
)

// bounded demands that reading size bytes allocates at most 4 times as much and 64 MiB, and that it ends well or in fail.Input.
func bounded(t *testing.T, name string, size int, read func() error) {
	t.Helper()
	var err error
	used := heaptest.Allocated(func() { err = read() })
	if most := int64(4*size + 64<<20); used > most {
		t.Errorf("%s: %d MiB of input, %d MiB allocated, at most %d allowed", name, size>>20, used>>20, most>>20)
	}
	if err != nil && !errors.Is(err, fail.Input) {
		t.Errorf("%s: %v", name, err)
	}
}

// drain reads all rows and keeps none.
func drain(s Source) error {
	for {
		if _, err := s.Next(); err != nil {
			if err == io.EOF {
				err = nil
			}
			return err
		}
	}
}

// pairsOf is a line of about so many bytes with as many pairs as they have room for.
func pairsOf(size int) []byte {
	b := make([]byte, 0, size+32)
	b = append(b, "1"...)
	for i := 1; len(b) < size; i++ {
		b = append(strconv.AppendInt(append(b, ' '), int64(i), 10), ":1"...)
	}
	return append(b, '\n')
}

// numbered repeats a line with a number in it.
func numbered(format string, size int) []byte {
	var b bytes.Buffer
	for i := 1; b.Len() < size; i++ {
		fmt.Fprintf(&b, format, i)
	}
	return b.Bytes()
}

func packedZstd(b []byte) []byte {
	w, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	defer w.Close()
	return w.EncodeAll(b, nil)
}

func TestReadingIsBounded(t *testing.T) {
	const large = 30 << 20
	repeated := func(s string, size int) []byte { return bytes.Repeat([]byte(s), size/len(s)) }
	window := func(exponent byte) []byte {
		return []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, exponent << 3, 0x01, 0x00, 0x00}
	}
	for name, data := range map[string][]byte{
		"pairs": pairsOf(large), "pairs of many rows": bytes.Repeat(pairsOf(1000), 16<<10),
		"colons": repeated(":", large), "pairs out of order": append([]byte("1 "), repeated("1:1 ", large)...),
		"a label": repeated("a", large), "a number as label": repeated("1", large), "zeros as label": append(repeated("0", large), "1"...),
		"an index": append([]byte("1 "), repeated("9", large)...), "a value": append([]byte("1 1:"), repeated("9", large)...),
		"a query": append([]byte("1 qid:"), repeated("9", large)...), "blanks": repeated(" ", large), "a comment": append([]byte("#"), repeated("x", large)...),
		"no line": repeated("1 ", 80<<20), "line breaks": repeated("\n", 8<<20), "zeros": make([]byte, 80<<20),
		"window of 8 MiB": window(13), "window of 16 MiB": window(14), "window of 2 GiB": window(21),
	} {
		if !testlevel.Tried(t, name, 3, 2) {
			continue
		}
		bounded(t, name, len(data), func() error { return drain(NewReader(bytes.NewReader(data), "in", ReadOptions{})) })
	}
	// Compressed, all that is a few kilobytes, which is what counts.
	for name, text := range map[string][]byte{
		"pairs": pairsOf(large), "a label": repeated("a", large), "lines": repeated("1 1:1\n", large), "a value": append([]byte("1 1:"), repeated("9", large)...),
		"blanks": repeated(" ", 100<<20),
	} {
		if !testlevel.Tried(t, name+", packed", 3, 2) {
			continue
		}
		for _, kind := range testlevel.Few(t, name, 1, []string{"gzip", "zstd"}) {
			data := packedZstd(text)
			if kind == "gzip" {
				data = gzipped(string(text))
			}
			bounded(t, name+" by "+kind, len(data), func() error { return drain(NewReader(bytes.NewReader(data), "in", ReadOptions{})) })
		}
	}
}

// TestLabelsAreBounded: labels are kept, if they are different ones.
func TestLabelsAreBounded(t *testing.T) {
	text := numbered("a%d 1:1\n", 8<<20)
	for name, data := range map[string][]byte{"text": text, "gzip": gzipped(string(text)), "zstd": packedZstd(text)} {
		if !testlevel.Tried(t, name, 2, 1) {
			continue
		}
		bounded(t, name, len(data), func() error {
			_, err := Build(t.Context(), NewReader(bytes.NewReader(data), "in", ReadOptions{}), StoreOptions{Dir: t.TempDir()})
			return err
		})
	}
}

func TestTablesAreBounded(t *testing.T) {
	for name, data := range map[string][]byte{
		"views": numbered("%x 1 1\n", 12<<20), "a name": bytes.Repeat([]byte("a"), 30<<20), "columns": bytes.Repeat([]byte("a "), 15<<20),
		"comments": bytes.Repeat([]byte("#\n"), 8<<20), "features": append([]byte("a 1 1"), bytes.Repeat([]byte("0"), 30<<20)...),
	} {
		if !testlevel.Tried(t, name, 3, 1) {
			continue
		}
		path := write(t, "views", string(data))
		bounded(t, name, len(data), func() error { _, err := ReadViews(path); return err })
	}
	for name, data := range map[string][]byte{
		"weights": bytes.Repeat([]byte("1\n"), 8<<20), "columns": bytes.Repeat([]byte("1,"), 15<<20), "a number": bytes.Repeat([]byte("1"), 30<<20),
		"line breaks": bytes.Repeat([]byte("\n"), 8<<20),
	} {
		if !testlevel.Tried(t, name+" of weights", 3, 1) {
			continue
		}
		path := write(t, "weights", string(data))
		bounded(t, name, len(data), func() error {
			w, err := openFields(path, false)
			for err == nil {
				_, err = w.weight()
			}
			w.Close()
			if err == io.EOF {
				err = nil
			}
			return err
		})
	}
}

// TestEndlessRows: a stream of rows without end is stopped by the memory that is allowed.
func TestEndlessRows(t *testing.T) {
	endless := FromSeq(func(yield func(Row) bool) {
		for i := 0; yield(Row{Label: strconv.Itoa(i % 2)}); i++ {
		}
	})
	defer endless.Close()
	_, err := Build(t.Context(), endless, StoreOptions{Dir: t.TempDir(), Memory: 1 << 20})
	if !errors.Is(err, fail.Budget) || !strings.Contains(err.Error(), "points") {
		t.Errorf("error %v", err)
	}
}
