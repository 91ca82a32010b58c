package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/heaptest"
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

// placed demands that an error is fail.Input, in the file "in", and at a place that exists.
func placed(t *testing.T, err error, data []byte) {
	t.Helper()
	if err == nil {
		return
	}
	var e *fail.Error
	if !errors.As(err, &e) || !errors.Is(err, fail.Input) || e.File != "in" {
		t.Fatalf("error %v", err)
	}
	if hasMagic(data) { // the place is in what is not shown here
		return
	}
	lines := bytes.Split(data, []byte("\n"))
	if e.Line > len(lines) || e.Line > 0 && e.Column > len(lines[e.Line-1])+1 {
		t.Fatalf("error %v in a text of %d lines", err, len(lines))
	}
}

// inPieces gives a stream by single bytes, halves of buffers, and whole.
func inPieces(data []byte) []io.Reader {
	return []io.Reader{iotest.HalfReader(iotest.OneByteReader(bytes.NewReader(data))), iotest.HalfReader(bytes.NewReader(data)), iotest.DataErrReader(bytes.NewReader(data))}
}

// frugal demands that a reader of so many bytes has allocated at most four times as much, and its buffers.
func frugal(t *testing.T, data []byte, used int64) {
	t.Helper()
	buffers := int64(1 << 20)
	if hasMagic(data) {
		buffers = 64 << 20
	}
	if used > 4*int64(len(data))+buffers {
		t.Fatalf("%d bytes allocated for %d", used, len(data))
	}
}

// FuzzLibSVM: what parses can be printed and parsed again to the same rows; the size of the pieces that a stream comes in
// makes no difference; an error is fail.Input at a place that exists; memory is bounded.
func FuzzLibSVM(f *testing.F) {
	for _, seed := range []string{
		"+1 1:0.708333 2:1 3:1 4:-0.320755 5:-0.105023 6:-1 7:1\n-1 1:0.583333 2:-1 3:0.333333\n",
		"1 1:nan\n", "1 1:1e400\n", "1 0:1", "1 2:1 2:1", "1:2:3", ":1", "1:", "\ufeff1\t1:1\r\n# c\n\n2 qid:3 1:.5#x",
		"name 1:1\n1.5 1:1\n", "1 99999999999999999999:1", "1 1:\x00", "1:1 2:2\n", "1 1:123456789012345678901234567890e-20\n",
		"1 1:1_000", "1 1:0x1p3", "1 1:infinity", "1e400 1:1", "1 2147483648:1\n1 2147483647:1", "1 1:1 :2", "1\t1:1\n-1 2:1", "\xff 1:1", "\x1b 1:1",
		"0000000000000000000000001 1:1", "1 00000000000000000001:1", "1 1:-0 2:+0 3:.0e+9", "1 1:1e-400", "1 qid:x", "1 1:1#2:2",
		string(gzipped("1 1:1\n")), string(zstded("1 1:1\n")), string(gzipped("1 1:1\n")) + "garbage", string(gzipped("1 1:1\n")[:15]),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var rows []Row
		var err error
		used := heaptest.Allocated(func() { rows, err = readBytes(data, ReadOptions{}) })
		frugal(t, data, used-int64(1000*len(rows))) // readAll keeps them
		for _, r := range inPieces(data) {
			chunked, chunkedErr := readAll(NewReader(r, "in", ReadOptions{}))
			if !sameRows(rows, chunked) || !samePlaces(rows, chunked) || (err == nil) != (chunkedErr == nil) {
				t.Fatalf("whole: %v, %v; in pieces: %v, %v", rows, err, chunked, chunkedErr)
			}
		}
		for _, r := range rows {
			if e := r.check(false); e != nil {
				t.Fatalf("row %v: %v", r, e)
			}
		}
		placed(t, err, data)
		text := printRows(rows)
		if len(rows) == 0 || hasMagic([]byte(text)) || columnsMislead(text) {
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
		for _, data := range [][]byte{gzipped(string(text)), zstded(string(text)), append(gzipped(""), gzipped(string(text))...)} {
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

// FuzzLayouts: both layouts reject a text for the same reason or hold the same numbers.
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

// FuzzWeights: weights are numbers not below 0 that print and parse again, whatever the pieces; or the error has a place.
func FuzzWeights(f *testing.F) {
	for _, seed := range []string{"1\n2.5\n", "# c\n\n1e-3,2\n", "1 2\t3\r\n", "1,,2", "nan", "inf", "-1", "0", "1_0", "0x1", "1e400", "\ufeff1", "\x00", "1e-400", ",", "1,\n", "\x1f\x8b"} {
		f.Add([]byte(seed), uint8(1))
		f.Add([]byte(seed), uint8(2))
	}
	f.Fuzz(func(t *testing.T, data []byte, number uint8) {
		read := func(r io.Reader, column int) (out []float64, err error) {
			w := &fields{text: newText(NewStream(r, "in", false)), column: column}
			defer w.Close()
			for {
				v, err := w.weight()
				if err == io.EOF {
					return out, nil
				}
				if err != nil {
					return out, err
				}
				out = append(out, v)
			}
		}
		column := max(1, int(number))
		var want []float64
		var err error
		frugal(t, data, heaptest.Allocated(func() { want, err = read(bytes.NewReader(data), column) }))
		placed(t, err, data)
		for _, r := range inPieces(data) {
			if got, e := read(r, column); !slices.Equal(got, want) || (e == nil) != (err == nil) {
				t.Fatalf("whole: %v, %v; in pieces: %v, %v", want, err, got, e)
			}
		}
		var text strings.Builder
		for _, v := range want {
			if !(v >= 0) || !float.Finite(v) {
				t.Fatalf("weight %v", v)
			}
			text.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + "\n")
		}
		if again, err := read(strings.NewReader(text.String()), 1); err != nil || !slices.Equal(again, want) {
			t.Fatalf("%v printed and read: %v, %v", want, again, err)
		}
	})
}

// FuzzViews: views print and parse again to the same; or the error has a place.
func FuzzViews(f *testing.F) {
	for _, seed := range []string{"A 1 2\n# x\nB 3 4 x\n", "A 1 2\nA 1 2", "A 2 1", "A 1", "A", "A 0 1", "A 1 2147483648", "A 1 99999999999999999999", "A -1 +2", "\ufeffA 1 1\r\n", "\xff 1 1", "\x1b 1 1", "A\v1\f1", "A 1 1\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		folder := t.TempDir()
		path := folder + "/views"
		read := func(data []byte) (views []View, err error) {
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			views, err = ReadViews(path)
			var e *fail.Error
			if errors.As(err, &e) && e.File == path {
				e.File = "in"
			}
			return views, err
		}
		var views []View
		var err error
		frugal(t, data, heaptest.Allocated(func() { views, err = read(data) }))
		placed(t, err, data)
		var text strings.Builder
		names := map[string]bool{}
		for _, v := range views {
			if v.Name == "" || v.First < 1 || v.Last < v.First || names[v.Name] {
				t.Fatalf("view %+v", v)
			}
			names[v.Name] = true
			fmt.Fprintf(&text, "%s %d %d\n", v.Name, v.First, v.Last)
		}
		if views == nil || hasMagic([]byte(text.String())) {
			return
		}
		if again, err := read([]byte(text.String())); err != nil || !slices.Equal(again, views) {
			t.Fatalf("%v printed and read: %v, %v", views, again, err)
		}
	})
}
