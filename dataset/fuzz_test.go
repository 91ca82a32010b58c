package dataset

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"bigmkl/internal/fail"
)

// printRows writes rows as libsvm text that parses to the same rows.
func printRows(rows []Row) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.Label + " ") // the blank keeps a label's last carriage return from the end of the line
		for i, j := range r.Index {
			b.WriteString(strconv.Itoa(int(j)+1) + ":" + strconv.FormatFloat(r.Value[i], 'g', -1, 64) + " ")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// hasMagic is true for bytes that are read as something else than the text they are.
func hasMagic(data []byte) bool {
	return len(data) > 1 && data[0] == 0x1f && data[1] == 0x8b ||
		len(data) > 3 && (string(data[:4]) == "\x28\xb5\x2f\xfd" || string(data[1:4]) == "\x2a\x4d\x18") ||
		bytes.HasPrefix(data, []byte("\ufeff"))
}

// FuzzLibSVM: what parses can be printed and parsed again to the same rows; the size of the pieces that a stream comes in
// makes no difference; an error is fail.Input at a line that exists.
func FuzzLibSVM(f *testing.F) {
	for _, seed := range []string{
		"+1 1:0.708333 2:1 3:1 4:-0.320755 5:-0.105023 6:-1 7:1\n-1 1:0.583333 2:-1 3:0.333333\n",
		"1 1:nan\n", "1 1:1e400\n", "1 0:1", "1 2:1 2:1", "1:2:3", ":1", "1:", "\ufeff1\t1:1\r\n# c\n\n2 qid:3 1:.5#x",
		"name 1:1\n1.5 1:1\n", "1 99999999999999999999:1", "1 1:\x00", "1:1 2:2\n", "1 1:123456789012345678901234567890e-20\n",
		string(gzipped("1 1:1\n")), string(zstded("1 1:1\n")),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := readBytes(data, ReadOptions{})
		chunked, chunkedErr := readAll(NewReader(iotest.HalfReader(iotest.OneByteReader(bytes.NewReader(data))), "in", ReadOptions{}))
		if !sameRows(rows, chunked) || !samePlaces(rows, chunked) || (err == nil) != (chunkedErr == nil) {
			t.Fatalf("whole: %v, %v; in pieces: %v, %v", rows, err, chunked, chunkedErr)
		}
		for _, r := range rows {
			if e := r.check(); e != nil {
				t.Fatalf("row %v: %v", r, e)
			}
		}
		if err != nil {
			var e *fail.Error
			if !errors.As(err, &e) || !errors.Is(err, fail.Input) || e.File != "in" {
				t.Fatalf("error %v", err)
			}
			if lines := bytes.Count(data, []byte("\n")) + 1; e.Line > lines && !hasMagic(data) {
				t.Fatalf("error %v in a text of %d lines", err, lines)
			}
		}
		text := printRows(rows)
		if len(rows) == 0 || hasMagic([]byte(text)) {
			return
		}
		again, err := parseString(text)
		if err != nil || !sameRows(rows, again) {
			t.Fatalf("%v\nprinted as %q\nreads as %v, %v", rows, text, again, err)
		}
	})
}

// FuzzCompressed: a stream that is cut or changed gives the rows it held or an error, never others.
func FuzzCompressed(f *testing.F) {
	f.Add([]byte("1 1:1\n2 2:2\n"), uint16(20), byte(0))
	f.Add([]byte("1 1:1 2:2 3:3\n"), uint16(9), byte(255))
	f.Fuzz(func(t *testing.T, text []byte, at uint16, flip byte) {
		want, wantErr := readBytes(text, ReadOptions{})
		if wantErr != nil || hasMagic(text) && text[0] != 0xef {
			return
		}
		for _, data := range [][]byte{gzipped(string(text)), zstded(string(text))} {
			if rows, err := readBytes(data, ReadOptions{}); err != nil || !sameRows(rows, want) {
				t.Fatalf("%v, %v, want %v", rows, err, want)
			}
			i := 4 + int(at)%(len(data)-4)
			if flip == 0 {
				if _, err := readBytes(data[:i], ReadOptions{}); !errors.Is(err, fail.Input) {
					t.Fatalf("cut at %d: %v", i, err)
				}
				continue
			}
			data[i] ^= flip
			if rows, err := readBytes(data, ReadOptions{}); err == nil && !sameRows(rows, want) {
				t.Fatalf("byte %d changed: %v, want %v", i, rows, want)
			}
		}
	})
}

// FuzzLayouts: both layouts refuse a text for the same reason or hold the same numbers.
func FuzzLayouts(f *testing.F) {
	f.Add([]byte("1 1:1 3:-2\n2\n1 2:1e-46 3:0\n"), byte(0))
	f.Add([]byte("1 1:1 3:-2\n2 1:5\n1 2:1e-46 3:0\n"), byte(1))
	f.Add([]byte("a 1:1e39 20:1\n"), byte(2))
	f.Add([]byte("1 1:1 3:-2\n2 1:5\n1 2:7 3:0\n"), byte(3))
	scales := []string{ScaleNone, ScaleMinMax, ScaleStandard, ScaleGlobal}
	f.Fuzz(func(t *testing.T, data []byte, scale byte) {
		of := func(l Layout) (*Store, error) {
			return Build(t.Context(), NewReader(bytes.NewReader(data), "in", ReadOptions{}),
				StoreOptions{Dir: os.TempDir(), Scale: scales[scale%4], Layout: l, Memory: 1 << 18})
		}
		dense, err := of(LayoutDense)
		sparse, other := of(LayoutSparse)
		if err != nil || other != nil {
			if err == nil || other == nil || err.Error() != other.Error() {
				t.Fatalf("dense: %v, sparse: %v", err, other)
			}
			return
		}
		defer dense.Close()
		defer sparse.Close()
		sameStores(t, dense, sparse)
	})
}

// FuzzViews: a views file is read or refused, whatever it holds.
func FuzzViews(f *testing.F) {
	f.Add([]byte("A 1 2\n# x\nB 3 4 x\n"))
	f.Add([]byte("A 1 2\nA 1 2"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := t.TempDir() + "/views"
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		views, err := ReadViews(path)
		if err != nil && !errors.Is(err, fail.Input) {
			t.Fatal(err)
		}
		for _, v := range views {
			if v.Name == "" || v.First < 1 || v.Last < v.First {
				t.Fatalf("view %+v", v)
			}
		}
	})
}
