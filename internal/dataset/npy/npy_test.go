package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

// entry is a number that float32 holds and that identifies its place.
func entry(i, j int) float64 { return float64(i) + float64(j)/1024 - 0.5 }

// file builds a .npy file of any kind by hand.
func file(version int, dict string, numbers []float64, size int, order binary.AppendByteOrder) []byte {
	b := []byte(magic)
	b = append(b, byte(version), 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	b = append(b, dict...)
	for _, v := range numbers {
		if size == 4 {
			b = order.AppendUint32(b, math.Float32bits(float32(v)))
		} else {
			b = order.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

func put(t *testing.T, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.npy")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func check(t *testing.T, what string, m *Matrix, rows, cols int) {
	t.Helper()
	if m.Rows != rows || m.Cols != cols {
		t.Fatalf("%s: %d x %d", what, m.Rows, m.Cols)
	}
	for i := range rows {
		for from := range cols {
			a, b := make([]float32, cols-from), make([]float64, cols-from)
			m.Row32(i, from, a)
			m.Row64(i, from, b)
			for j := range a {
				if want := entry(i, from+j); float64(a[j]) != want || b[j] != want {
					t.Fatalf("%s: (%d,%d) is %v and %v, want %v", what, i, from+j, a[j], b[j], want)
				}
			}
		}
	}
	checkGathered(t, what, m)
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

// checkGathered compares the numbers of some rows in some columns, side by side and not, with the
// numbers of whole rows.
func checkGathered(t *testing.T, what string, m *Matrix) {
	t.Helper()
	last := int32(m.Cols - 1)
	for _, cols := range [][]int32{{0}, {last}, {last, 0, last}, {0, last}, nil} {
		rows, width := []int32{int32(m.Rows - 1), 0}, len(cols)+2
		a, b := make([]float32, len(rows)*width), make([]float64, len(rows)*width)
		m.Gather32(a, width, rows, cols)
		m.Gather64(b, width, rows, cols)
		for i, r := range rows {
			for j := range width {
				want := 0.0 // between the rows nothing is written
				if j < len(cols) {
					want = entry(int(r), int(cols[j]))
				}
				if at := i*width + j; float64(a[at]) != want || b[at] != want {
					t.Fatalf("%s: row %d, columns %d: number %d is %v and %v, want %v", what, r, cols, j, a[at], b[at], want)
				}
			}
		}
	}
}

func TestOrders(t *testing.T) {
	const rows, cols = 5, 3
	var c, f []float64
	for i := range rows {
		for j := range cols {
			c = append(c, entry(i, j))
		}
	}
	for j := range cols {
		for i := range rows {
			f = append(f, entry(i, j))
		}
	}
	for _, k := range []struct {
		descr string
		size  int
		order binary.AppendByteOrder
	}{{"<f4", 4, binary.LittleEndian}, {"<f8", 8, binary.LittleEndian}, {">f4", 4, binary.BigEndian}, {">f8", 8, binary.BigEndian}} {
		for version := 1; version <= 3; version++ {
			dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }  \n", k.descr, rows, cols)
			m, err := Open(put(t, file(version, dict, c, k.size, k.order)))
			if err != nil {
				t.Fatal(err)
			}
			check(t, dict, m, rows, cols)
			dict = fmt.Sprintf(`{"shape":(%dL,%dL),"fortran_order":True,"descr":"%s"}`, rows, cols, k.descr)
			if m, err = Open(put(t, file(version, dict, f, k.size, k.order))); err != nil {
				t.Fatal(err)
			}
			check(t, dict, m, rows, cols)
		}
	}
}

func TestWriter(t *testing.T) {
	for _, float64s := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "m.npy")
		w, err := Create(path, 4, 3, float64s)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			if i%2 == 0 {
				err = w.WriteRow32([]float32{float32(entry(i, 0)), float32(entry(i, 1)), float32(entry(i, 2))})
			} else {
				err = w.WriteRow64([]float64{entry(i, 0), entry(i, 1), entry(i, 2)})
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("the file is there before Close")
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w.Abort()
		m, err := Load(path, 3)
		if err != nil {
			t.Fatal(err)
		}
		if m.Float64s != float64s {
			t.Error("wrong type")
		}
		check(t, "written", m, 4, 3)
		if _, err := Load(path, 4); !errors.Is(err, fail.Input) {
			t.Errorf("another number of columns: %v", err)
		}
		if b, _ := os.ReadFile(path); (int(b[8])+int(b[9])<<8+10)%64 != 0 || !strings.HasSuffix(string(b[:128]), "\n") {
			t.Errorf("the header is not aligned: %q", b[:128])
		}
		w, err = Create(path, 4, 3, float64s)
		if err != nil {
			t.Fatal(err)
		}
		w.Abort()
		if list, _ := os.ReadDir(filepath.Dir(path)); len(list) != 1 {
			t.Errorf("after Abort there is %v", list)
		}
	}
}

func TestRaw(t *testing.T) {
	square := func(rows, cols, size int) string {
		var v []float64
		for i := range rows {
			for j := range cols {
				v = append(v, entry(i, j))
			}
		}
		return put(t, file(1, "", v, size, binary.LittleEndian)[10:])
	}
	for _, c := range []struct{ rows, cols, size int }{{3, 3, 4}, {3, 3, 8}, {5, 3, 4}, {1, 7, 4}} {
		m, err := Load(square(c.rows, c.cols, c.size), c.cols)
		if err != nil {
			t.Fatal(err)
		}
		if m.Float64s != (c.size == 8) {
			t.Errorf("%v: wrong type", c)
		}
		check(t, fmt.Sprint(c), m, c.rows, c.cols)
	}
	for _, path := range []string{put(t, nil), put(t, make([]byte, 13)), t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		if _, err := Load(path, 3); !errors.Is(err, fail.Input) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

var badDicts = []string{
	"", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
	"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1)}", "{'descr': '|O', 'fortran_order': False, 'shape': (1, 1)}",
	"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 1)}", "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 1)}",
	"{'descr': '<f2', 'fortran_order': False, 'shape': (1, 1)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 1, 1)}",
	"{'descr': '<c16', 'fortran_order': False, 'shape': (1, 1)}", "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1, 1)}",
	"{'descr': '<f8', 'fortran_order': False, 'shape': (2147483647, 2147483647, 2147483647)}", "{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 1)}",
	"{'descr': '<f4', 'fortran_order': False, 'shape': (1, -1)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2)}",
	"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)} x",
	"{'descr': '<f8', 'fortran_order': False, 'shape': (2147483647, 2147483647)}", "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}",
	"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)", "{'descr': '<f4' 'fortran_order': False, 'shape': (1, 1)}",
	"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), 'x': 1}", "{'descr': '<f4', 'fortran_order': False, 'shape': (1 1)}",
}

func TestRefused(t *testing.T) {
	for _, d := range badDicts {
		if _, err := Open(put(t, file(1, d, []float64{1}, 4, binary.LittleEndian))); !errors.Is(err, fail.Input) {
			t.Errorf("%q: %v", d, err)
		}
	}
	good := file(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}", []float64{1}, 4, binary.LittleEndian)
	for n := range len(good) {
		if _, err := Open(put(t, good[:n])); !errors.Is(err, fail.Input) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	if _, err := Open(put(t, append(good, 0))); !errors.Is(err, fail.Input) {
		t.Errorf("a byte too many: %v", err)
	}
	if _, err := Open(put(t, file(4, "{}", nil, 4, binary.LittleEndian))); !errors.Is(err, fail.Input) {
		t.Errorf("version 4: %v", err)
	}
	if _, err := Open(put(t, file(2, strings.Repeat(" ", maxHeader+1), nil, 4, binary.LittleEndian))); !errors.Is(err, fail.Input) {
		t.Errorf("a long header: %v", err)
	}
}

// A header is rejected or describes exactly the file that it is in.
func FuzzHeader(f *testing.F) {
	for _, d := range append(badDicts, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }") {
		f.Add(file(1, d, []float64{1}, 4, binary.LittleEndian))
		f.Add(file(2, d, []float64{1}, 4, binary.LittleEndian))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := parseHeader(b[:min(len(b), maxHeader+12)], int64(len(b)))
		if err != nil {
			return
		}
		if h.rows < 0 || h.cols < 0 || h.size != 2 && h.size != 4 && h.size != 8 || h.offset+h.rows*h.cols*h.size != len(b) {
			t.Fatalf("%+v for %d bytes", h, len(b))
		}
	})
}

// FuzzMatrix: a file is rejected, or its numbers can be read, written and read again to the same bits; a file cut short is
// always rejected. Memory does not follow what the header claims.
func FuzzMatrix(f *testing.F) {
	for _, d := range append(badDicts, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }") {
		f.Add(file(1, d, []float64{1}, 4, binary.LittleEndian), uint8(1), uint16(9))
	}
	for _, k := range []string{"<f8", ">f8"} {
		for _, fortran := range []string{"True", "False"} {
			for version := 1; version <= 3; version++ {
				d := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (2, 3), }", k, fortran)
				f.Add(file(version, d, []float64{1, -2, math.NaN(), math.Inf(1), 5e-324, 6}, 8, binary.LittleEndian), uint8(3), uint16(40))
			}
		}
	}
	f.Add(make([]byte, 36), uint8(3), uint16(5))
	f.Fuzz(func(t *testing.T, b []byte, cols uint8, cut uint16) {
		path := filepath.Join(t.TempDir(), "m")
		load := func(b []byte) (*Matrix, error) {
			if err := os.WriteFile(path, b, 0o600); err != nil {
				t.Fatal(err)
			}
			return Load(path, max(1, int(cols)))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		m, err := load(b)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > uint64(4*len(b)+1<<20) {
			t.Fatalf("%d bytes allocated for %d", used, len(b))
		}
		if err != nil {
			if !errors.Is(err, fail.Input) {
				t.Fatal(err)
			}
			return
		}
		defer m.Close()
		if m.Rows < 0 || m.Cols != max(1, int(cols)) {
			t.Fatalf("%d x %d", m.Rows, m.Cols)
		}
		if m.Rows > 1<<12 { // of which a file of few bytes has none
			return
		}
		out := filepath.Join(t.TempDir(), "again")
		w, err := Create(out, m.Rows, m.Cols, m.Float64s)
		if err != nil {
			t.Fatal(err)
		}
		row32, row64 := make([]float32, m.Cols), make([]float64, m.Cols)
		for i := range m.Rows {
			if m.Float64s {
				m.Row64(i, 0, row64)
				err = w.WriteRow64(row64)
			} else {
				m.Row32(i, 0, row32)
				err = w.WriteRow32(row32)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := Load(out, m.Cols)
		if err != nil || again.Rows != m.Rows || again.Float64s != m.Float64s {
			t.Fatalf("written and read: %+v, %v", again, err)
		}
		defer again.Close()
		other := make([]float64, m.Cols)
		for i := range m.Rows {
			m.Row64(i, 0, row64)
			again.Row64(i, 0, other)
			for j := range other {
				if math.Float64bits(other[j]) != math.Float64bits(row64[j]) {
					t.Fatalf("(%d, %d) was %v and is %v", i, j, row64[j], other[j])
				}
			}
		}
		if err := m.Err(); err != nil {
			t.Fatal(err)
		}
		if len(b) > len(magic) && string(b[:len(magic)]) == magic {
			if _, err := load(b[:len(magic)+int(cut)%(len(b)-len(magic))]); !errors.Is(err, fail.Input) {
				t.Fatalf("cut: %v", err)
			}
		}
	})
}
