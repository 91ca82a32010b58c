package arrays

import (
	"archive/zip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/heaptest"
)

// readFuzzed reads a file of any bytes. It demands that rows are well formed, that an error is of class fail.Input and
// names the file, and that memory follows the bytes and not what they claim.
func readFuzzed(t *testing.T, data []byte) ([]dataset.Row, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var rows []dataset.Row
	var err error
	values := 0
	used := heaptest.Allocated(func() {
		var s *Source
		if s, err = Open([]Input{{Path: path}}, Options{}); err != nil {
			return
		}
		defer s.Close()
		for len(rows) < 1000 { // An archive may hold many more rows than it has bytes.
			var r dataset.Row
			if r, err = s.Next(); err != nil {
				return
			}
			values += len(r.Index)
			r.Index, r.Value = append([]int32(nil), r.Index...), append([]float64(nil), r.Value...)
			rows = append(rows, r)
		}
	})
	// What the loop above keeps is not the reader's.
	kept := int64(200*len(rows) + 30*values)
	if used-kept > 4*int64(len(data))+8<<20 {
		t.Fatalf("%d bytes allocated for %d", used, len(data))
	}
	var e *fail.Error
	if err != nil && err.Error() != "EOF" && (!errors.As(err, &e) || !errors.Is(err, fail.Input) || e.File != path) {
		t.Fatalf("error %v", err)
	}
	for _, r := range rows {
		last := int32(-1)
		for k, j := range r.Index {
			if x := r.Value[k]; j <= last || x == 0 || !float.Finite(x) {
				t.Fatalf("row %v", r)
			}
			last = j
		}
	}
	if err != nil && err.Error() == "EOF" {
		err = nil
	}
	return rows, err
}

// FuzzNpy: an array that is read has the rows of the same numbers written again, and is rejected if a byte is missing.
func FuzzNpy(f *testing.F) {
	for _, shape := range []string{"(2, 3)", "(3, 2)", "(6, 1)", "(6,)", "()", "(1, 6L)", "(2147483647, 2147483647)", "(0, 6)"} {
		for _, fortran := range []bool{false, true} {
			f.Add(npyOf("<f8", shape, fortran, []float64{1, 0, -2.5, 1e300, 5e-324, 3}))
			f.Add(npyOf(">i2", shape, fortran, []int16{1, 0, -2, 300, 5, 3}))
			f.Add(npyOf("<f2", shape, fortran, []uint16{0x3c00, 0, 0xc100, 0x7bff, 1, 0x4200}))
			f.Add(npyOf("|b1", shape, fortran, []bool{true, false, true, true, false, true}))
		}
	}
	f.Add(npyOf("<f8", "(1, 2, 3)", false, make([]float64, 6)))
	f.Add(npyOf("|O", "(6,)", false, []byte("\x80\x04]")))
	f.Add([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := readFuzzed(t, data)
		if err != nil || len(rows) == 1000 {
			return
		}
		if len(data) > 1 && string(data[:2]) == "PK" {
			return
		}
		if _, err := readFuzzed(t, data[:len(data)-1]); err == nil {
			t.Fatal("a byte less is read as well")
		}
		cols := 1
		for _, r := range rows {
			if n := len(r.Index); n > 0 {
				cols = max(cols, int(r.Index[n-1])+1)
			}
		}
		if cols > 1<<12 {
			return
		}
		elements := make([]float64, len(rows)*cols)
		for i, r := range rows {
			for k, j := range r.Index {
				elements[i*cols+int(j)] = r.Value[k]
			}
		}
		again, err := readFuzzed(t, npyOf("<f8", fmt.Sprintf("(%d, %d)", len(rows), cols), false, elements))
		if err != nil || text(again) != text(rows) {
			t.Fatalf("%v, or other rows", err)
		}
	})
}

// FuzzNpz: an archive of any bytes gives rows or an error, twice the same.
func FuzzNpz(f *testing.F) {
	x := archived{"X", npyOf("<f8", "(2, 3)", false, []float64{1, 0, -2.5, 1e300, 5e-324, 3})}
	y := archived{"y", npyOf("<U1", "(2,)", false, []uint32{'a', 'b'})}
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f.Add(npzOf(method, x))
		f.Add(npzOf(method, x, y))
		f.Add(npzOf(method, sparseOf(nil)...))
		f.Add(npzOf(method, coo(2, 3, []int32{1, 0, 1}, []int32{2, 0, 2}, []float64{1, 2, 3})...))
		f.Add(npzOf(method, lines(2, 2, []int32{0, 1, 2}, []int32{1, 0}, []float64{1, 2}, 0, 0)...))
		f.Add(npzOf(method, lines(2, 2, []int32{0, 1, 2}, []int32{1, 0}, []float64{1, 2, 3, 4}, 1, 2)...))
		f.Add(npzOf(method, dia(2, 3, []int32{-1, 2}, 3, false, []float64{1, 2, 3, 4, 5, 6})...))
	}
	f.Add(npzOf(zip.Store))
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := readFuzzed(t, data)
		again, twice := readFuzzed(t, data)
		if text(rows) != text(again) || (err == nil) != (twice == nil) {
			t.Fatalf("first %v, then %v", err, twice)
		}
	})
}

// FuzzSparse: the arrays of a sparse matrix hold together, or are rejected. What is read has as many values as the arrays.
func FuzzSparse(f *testing.F) {
	f.Add([]byte{0, 1, 1, 3}, []byte{1, 2, 0}, byte(3), byte(3))
	f.Add([]byte{0, 0, 5}, []byte{1}, byte(3), byte(3))
	f.Add([]byte{1, 255}, []byte{1, 1}, byte(0), byte(200))
	f.Fuzz(func(t *testing.T, indptr, indices []byte, rows, cols byte) {
		data := make([]int8, len(indices))
		for k := range data {
			data[k] = int8(k%100) + 1
		}
		read, err := readFuzzed(t, npzOf(zip.Store, sparseOf(map[string][]byte{
			"indptr": list("|u1", len(indptr), indptr), "indices": list("|i1", len(indices), indices),
			"data": list("|i1", len(data), data), "shape": list("|u1", 2, []byte{rows, cols})})...))
		if err != nil {
			return
		}
		n := 0
		for _, r := range read {
			n += len(r.Index)
		}
		if len(read) != int(rows) || n != len(data) {
			t.Fatalf("%d rows of %d values in all, of %d and %d", len(read), n, rows, len(data))
		}
	})
}

// FuzzScattered: any places of any format are rows or an error, and a matrix of which three values are held at once has the
// same rows.
func FuzzScattered(f *testing.F) {
	f.Add("coo", []byte{0, 1, 1, 0}, []byte{1, 2, 0, 1}, byte(2), byte(3), byte(0))
	f.Add("csc", []byte{0, 1, 1, 3}, []byte{1, 2, 0}, byte(3), byte(3), byte(0))
	f.Add("bsr", []byte{0, 1, 2}, []byte{1, 0}, byte(4), byte(4), byte(2))
	f.Add("dia", []byte{0, 1, 255}, []byte{1, 2, 3, 4, 5, 6}, byte(3), byte(3), byte(0))
	f.Fuzz(func(t *testing.T, format string, a, b []byte, rows, cols, size byte) {
		data := func(n int, shape string) archived {
			numbers := make([]int8, n)
			for k := range numbers {
				numbers[k] = int8(k%100) - 7
			}
			return archived{"data", npyOf("|i1", shape, false, numbers)}
		}
		var members []archived
		switch format {
		case "coo":
			members = []archived{{"row", list("|i1", len(a), a)}, {"col", list("|i1", len(b), b)}, data(len(b), fmt.Sprintf("(%d,)", len(b)))}
		case "dia":
			n := 0
			if len(a) > 0 {
				n = len(b) / len(a)
			}
			members = []archived{{"offsets", list("|i1", len(a), a)}, data(n*len(a), fmt.Sprintf("(%d, %d)", len(a), n))}
		case "csc":
			members = []archived{{"indptr", list("|u1", len(a), a)}, {"indices", list("|i1", len(b), b)}, data(len(b), fmt.Sprintf("(%d,)", len(b)))}
		case "bsr":
			n := int(size % 8)
			members = []archived{{"indptr", list("|u1", len(a), a)}, {"indices", list("|i1", len(b), b)},
				data(len(b)*n*n, fmt.Sprintf("(%d, %d, %d)", len(b), n, n))}
		default:
			return
		}
		archive := npzOf(zip.Store, savedAs(format, int(rows), int(cols), members...)...)
		want, err := readFuzzed(t, archive)
		s, again := Open([]Input{{Path: put(t, "d.npz", archive)}}, Options{})
		var got []dataset.Row
		if again == nil {
			s.parts[0].matrix.(*scattered).most = 3
			got, again = drain(s)
		}
		if (err == nil) != (again == nil) || err == nil && (len(want) != int(rows) || text(got) != text(want)) {
			t.Fatalf("%v and %v, %q and %q", err, again, text(want), text(got))
		}
	})
}
