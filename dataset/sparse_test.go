package dataset

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
	"bigmkl/internal/testlevel"
)

// layouts builds the same data in both layouts and compares all that they hold.
func layouts(t *testing.T, text string, o StoreOptions) (dense, sparse *Store) {
	t.Helper()
	o.Layout = LayoutDense
	dense = build(t, text, o)
	o.Layout = LayoutSparse
	sparse = build(t, text, o)
	sameStores(t, dense, sparse)
	return dense, sparse
}

func sameStores(t *testing.T, dense, sparse *Store) {
	t.Helper()
	if dense.Sparse() || !sparse.Sparse() {
		t.Fatal("not a dense and a sparse store")
	}
	if dense.Len() != sparse.Len() || dense.Dim() != sparse.Dim() || dense.Panels() != sparse.Panels() {
		t.Fatalf("%d x %d and %d x %d", dense.Len(), dense.Dim(), sparse.Len(), sparse.Dim())
	}
	if dense.Fingerprint() != sparse.Fingerprint() {
		t.Errorf("fingerprints %x and %x", dense.Fingerprint(), sparse.Fingerprint())
	}
	if !sameBits(dense.Mean(), sparse.Mean()) {
		t.Error("other means")
	}
	if !slices.Equal(dense.Labels(), sparse.Labels()) || !slices.Equal(dense.Classes(), sparse.Classes()) || !slices.Equal(dense.Weights(), sparse.Weights()) {
		t.Error("other labels, classes or weights")
	}
	d := dense.Dim()
	row, other := make([]float32, d), make([]float32, d)
	for i := range dense.Len() {
		for j := range other {
			other[j] = float32(math.NaN())
		}
		dense.Row(i, row)
		sparse.Row(i, other)
		if !sameBits(row, other) {
			t.Fatalf("row %d differs", i)
		}
		index, value := sparse.Nonzeros(i)
		at := 0
		for j, v := range row {
			if v == 0 {
				continue
			}
			if at == len(index) || int(index[at]) != j || value[at] != v {
				t.Fatalf("row %d: %v of feature %d is not non-zero %d of %v", i, v, j, at, index)
			}
			at++
		}
		if at != len(index) || at != len(value) {
			t.Fatalf("row %d: %d and %d non-zeros, want %d", i, len(index), len(value), at)
		}
	}
}

func sameBits(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return math.Float32bits(x) == math.Float32bits(y) })
}

func TestSparseAgainstDense(t *testing.T) {
	for _, n := range []int{1, 31, 32, 33, 200} {
		text := randomText(uint64(n), n, 24)
		rows := mustParse(t, text)
		for _, scale := range []string{ScaleNone, ScaleMinMax, ScaleStandard, ScaleGlobal} {
			_, s := layouts(t, text, StoreOptions{Scale: scale, Features: 30})
			checkStore(t, s, rows)
		}
	}
}

// TestSparseShapes: no features, no entries, written zeros, values that round to zero, features that are zero nowhere.
func TestSparseShapes(t *testing.T) {
	for text, nonzeros := range map[string]int{
		"1\n2\n": 0, "1\n2 3:1\n1\n": 1, "1 1:0 2:-0 3:1\n2\n": 1, "1 1:1e-46 2:1e-45\n2 1:-1e-50\n": 1, strings.Repeat("1 1:3\n", 40): 40,
	} {
		_, s := layouts(t, text, StoreOptions{})
		if got := len(s.rows.index); got != nonzeros || len(s.rows.value) != got {
			t.Errorf("%q: %d non-zeros, want %d", text, got, nonzeros)
		}
	}
	// With an offset what is left out is not zero, and the least value is.
	text := "1 1:-1 2:5 3:2\n2 2:6 3:2\n1 1:1 3:2\n"
	for scale, nonzeros := range map[string]int{ScaleNone: 7, ScaleGlobal: 7, ScaleMinMax: 4, ScaleStandard: 5} {
		_, s := layouts(t, text, StoreOptions{Scale: scale, Features: 5})
		if got := len(s.rows.index); got != nonzeros {
			t.Errorf("%s: %d non-zeros, want %d", scale, got, nonzeros)
		}
	}
	if s := build(t, "1 1:1\n2 5:1\n", StoreOptions{Layout: LayoutSparse, Features: 100, Limit: 1}); s.Len() != 1 || s.Dim() != 100 || !s.Sparse() {
		t.Errorf("%d x %d, sparse %v", s.Len(), s.Dim(), s.Sparse())
	}
}

// TestSparseRealData builds published data sets in both layouts, with every scaling.
func TestSparseRealData(t *testing.T) {
	dir := testlevel.NeedRealData(t)
	for _, name := range []string{"a9a", "w8a", "mushrooms", "3sources", "mnist", "spambase"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, name, name+".libsvm.gz")
			if _, err := os.Stat(path); err != nil {
				t.Skip("not in the folder")
			}
			for _, scale := range []string{ScaleNone, ScaleMinMax, ScaleStandard, ScaleGlobal} {
				var s [2]*Store
				for i, l := range []Layout{LayoutDense, LayoutSparse} {
					r, err := Open([]string{path}, ReadOptions{})
					if err != nil {
						t.Fatal(err)
					}
					defer r.Close()
					if s[i], err = Build(t.Context(), r, StoreOptions{Dir: t.TempDir(), Scale: scale, Layout: l, Limit: 2500}); err != nil {
						t.Fatal(err)
					}
					defer s[i].Close()
				}
				sameStores(t, s[0], s[1])
				t.Logf("%s: %d x %d, density %.4f", scale, s[0].Len(), s[0].Dim(), float64(len(s[1].rows.index))/float64(s[0].Len()*s[0].Dim()))
			}
		})
	}
}

// scattered yields n rows of so many entries, evenly spread over d features from another start in each row.
func scattered(n, d, entries int) *SeqSource {
	return FromSeq(func(yield func(Row) bool) {
		index, value := make([]int32, entries), make([]float64, entries)
		step := d / entries
		for i := range n {
			for k := range index {
				index[k], value[k] = int32(k*step+i%step), float64(1+k%7)
			}
			if !yield(Row{Label: "a", Index: index, Value: value}) {
				return
			}
		}
	})
}

// TestSparseMemory: a sparse store of wide data takes a few numbers a feature and none an entry while it is built.
func TestSparseMemory(t *testing.T) {
	for _, c := range []struct{ n, d, entries int }{{2000, 1000000, 20}, {20000, 1000, 100}} {
		for _, scale := range []string{ScaleNone, ScaleMinMax} {
			src := scattered(c.n, c.d, c.entries)
			defer src.Close()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s, err := Build(t.Context(), src, StoreOptions{Dir: t.TempDir(), Scale: scale, Layout: LayoutSparse, Features: c.d})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			nonzeros := c.n * c.entries
			if size := len(s.data.Bytes()); size != (c.n+1)*8+nonzeros*8 {
				t.Errorf("%s: %d bytes for %d non-zeros", scale, size, nonzeros)
			}
			// Labels grow by doubling; 2 MiB are buffers.
			most := uint64(48*c.d + 40*c.n + 2<<20)
			if used := after.TotalAlloc - before.TotalAlloc; used > most {
				t.Errorf("%d points of %d features, %s: %d bytes were allocated, at most %d are fine", c.n, c.d, scale, used, most)
			}
			index, value := s.Nonzeros(c.n - 1)
			if len(index) != c.entries || int(index[1]) != c.d/c.entries+(c.n-1)%(c.d/c.entries) || value[0] == 0 {
				t.Errorf("the last row is %v, %v", index, value)
			}
		}
	}
}

// TestSparseDiskFull asks for more than any disk holds: every feature of every row differs from zero once it is standardised.
func TestSparseDiskFull(t *testing.T) {
	const n, d = 1 << 21, 1 << 20
	index, value := make([]int32, d), make([]float64, d)
	for j := range index {
		index[j], value[j] = int32(j), 1
	}
	src := FromSeq(func(yield func(Row) bool) {
		for i := range n {
			r := Row{Label: "a"}
			if i == 0 {
				r.Index, r.Value = index, value
			}
			if !yield(r) {
				return
			}
		}
	})
	defer src.Close()
	dir := t.TempDir()
	if _, err := Build(t.Context(), src, StoreOptions{Dir: dir, Scale: ScaleStandard, Layout: LayoutSparse}); !errors.Is(err, fail.Budget) {
		t.Errorf("%v", err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("%v left in the scratch folder", names)
	}
}

// TestAutoLayout: the rule, on both of its sides.
func TestAutoLayout(t *testing.T) {
	for _, d := range []int{1, narrow, narrow + 1, 200} {
		for _, entries := range []int{0, 1, d/4 - 1, d / 4, d} {
			if entries < 0 {
				continue
			}
			var b strings.Builder
			for range 3 {
				b.WriteString("1")
				for j := range entries {
					fmt.Fprintf(&b, " %d:1", j+1)
				}
				fmt.Fprintf(&b, " %d:0\n", d+1) // no entry at all, but a feature
			}
			s := build(t, b.String(), StoreOptions{})
			if want := d+1 > narrow && float64(entries) < sparseBelow*float64(d+1); s.Sparse() != want {
				t.Errorf("%d entries of %d features: sparse %v", entries, d+1, s.Sparse())
			}
		}
	}
}

func TestLayoutFaults(t *testing.T) {
	if l, err := ParseLayout(""); l != LayoutAuto || err != nil {
		t.Errorf("%q, %v", l, err)
	}
	for _, l := range []Layout{LayoutAuto, LayoutDense, LayoutSparse} {
		if got, err := ParseLayout(string(l)); got != l || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := tryBuild(t, "1 1:1\n", StoreOptions{Layout: "csr", Limit: -1}); !errors.Is(err, fail.Usage) ||
		!strings.Contains(err.Error(), "csr") || !strings.Contains(err.Error(), "limit") {
		t.Errorf("%v", err)
	}
	dense, sparse := layouts(t, "1 1:1 3:2\n2 2:1\n", StoreOptions{})
	for name, call := range map[string]func(){
		"non-zeros of a dense store": func() { dense.Nonzeros(0) },
		"a panel of a sparse store":  func() { sparse.Panel(0) },
		"a row too short":            func() { sparse.Row(0, make([]float32, 2)) },
	} {
		func() {
			defer func() {
				if r := recover(); !strings.HasPrefix(fmt.Sprint(r), "dataset: ") {
					t.Errorf("%s: %v", name, r)
				}
			}()
			call()
		}()
	}
}
