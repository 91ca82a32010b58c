package dataset

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
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
	buf := make([]float32, d*PanelWidth)
	for p := range dense.Panels() {
		for i := range buf {
			buf[i] = float32(math.NaN()) // what the last panel left behind must not show
		}
		if !sameBits(dense.Panel(p, nil), sparse.Panel(p, buf)) {
			t.Fatalf("panel %d differs", p)
		}
	}
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
		"no panel to fill":           func() { sparse.Panel(0, nil) },
		"a panel too long":           func() { sparse.Panel(0, make([]float32, 4*32)) },
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
