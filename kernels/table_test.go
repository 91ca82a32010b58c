package kernels

import (
	"math"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/simd"
)

// TestTable: bases of a table have the bits of computed ones, whatever the rows and the columns are, and whoever asks first. Sets and
// panels need no features then.
func TestTable(t *testing.T) {
	t.Parallel()
	t.Run("float32", testTable[float32])
	t.Run("float64", testTable[float64])
}

func testTable[T simd.Real](t *testing.T) {
	t.Parallel()
	rng := random(t, 47)
	const n = 75
	dense, few := points(rng, n, 9), scattered(rng, n, 200, 8)
	letters := sequencesOf(rng, dataset.DNA, n, 40)
	for _, x := range append(dense.x, few.x...) { // products are of kernels of numbers that are not negative
		for j, v := range x {
			x[j] = max(v, -v)
		}
	}
	list := allKinds([]int32{1, 3, 4}, nil)
	withProducts(list, [][]int{{0, 3}, {2, 0}}, [][]int{{1, 1}, {2, 1}})
	for name, c := range map[string]struct {
		points Points
		list   *kernelspec.Bank
	}{
		"dense": {dense, list}, "sparse, laid out": {few, list}, "sparse": {nonzeroTable{few}, list}, "letters": {letters, stringBank(dataset.DNA, 40)},
	} {
		s, err := Survey(t.Context(), c.points, make([]float32, c.points.Dim()), 1)
		if err != nil {
			t.Fatal(err)
		}
		b := newBank(t, c.list, s, false)
		size := 0
		m, err := NewTable(b, c.points, func(n int) ([]T, error) { size += n; return make([]T, n), nil })
		if err != nil {
			t.Fatal(err)
		}
		if bytes, _ := (Memory{b, c.points}).Table(); int64(size)*12 != bytes {
			t.Errorf("%s: %d numbers, and %d bytes in both precisions", name, size, bytes)
		}
		if terms := (Matrices{b, c.points}).TableTerms(); !(terms > 0) || math.IsInf(terms, 0) != (name == "letters") {
			t.Errorf("%s: a base looks at %g values", name, terms)
		}
		done := make(chan bool)
		for range 3 { // evaluators, each with rows and columns of its own
			rows, cols := upTo(n), upTo(n)
			rng.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			rng.Shuffle(n, func(i, j int) { cols[i], cols[j] = cols[j], cols[i] })
			rows, cols = rows[:1+rng.IntN(n)], cols[:1+rng.IntN(32)]
			go func() {
				defer func() { done <- true }()
				compareTable(t, name, b, c.points, m, rows, cols)
			}()
		}
		for range 3 {
			<-done
		}
	}
}

// compareTable compares bases of a table with computed ones, on columns that are listed and on a panel of all points.
func compareTable[T simd.Real](t *testing.T, name string, b *Bank, points Points, m *Table[T], rows, cols []int32) {
	with, without := NewEvaluator[T](b), NewEvaluator[T](b)
	with.UseTable(m)
	bare := Numbered(points, rows)
	var set Set
	set.Gather(points, rows)
	var listed, whole PanelBuffer
	panels := [][2]Panel{
		{{Len: len(cols), IDs: cols}, PanelOfSome(points, cols, &listed)},
		{{First: 2 * width, Len: min(width, points.Len()-2*width)}, PanelOf(points, 2, &whole)},
	}
	for k := range b.Groups {
		g := &b.Groups[k]
		if !with.Tabulates(g) {
			if g.Base != CentredProduct {
				t.Errorf("%s: group %d of base %d is in no table", name, k, g.Base)
			}
			continue
		}
		var kept, computed Rows[T]
		var keptColumns, columns Columns[T]
		with.PackRows(&kept, g, bare.Part(0, len(rows)))
		without.PackRows(&computed, g, &set)
		got, want := make([]T, g.TileSize(len(rows))), make([]T, g.TileSize(len(rows)))
		for _, p := range panels {
			with.PackColumns(&keptColumns, g, &p[0], points.Len())
			without.PackColumns(&columns, g, &p[1], points.Len())
			with.Base(got, g, &kept, 0, len(rows), &keptColumns, nil)
			without.Base(want, g, &computed, 0, len(rows), &columns, nil)
			for at := range got[:g.Used(len(rows))] {
				if at%simd.Width < p[1].Len && bitsOf(got[at]) != bitsOf(want[at]) {
					t.Errorf("%s: base %d of group %d is %v in the table, and %v", name, at, k, got[at], want[at])
					return
				}
			}
		}
	}
}
