package train

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/testlevel"
)

// nearestByDefinition sorts all rows by their distance, and those at the same distance by their number. Coordinates are
// small whole numbers. So no distance is rounded, and many are equal.
func nearestByDefinition(x [][]float64, set []int32, k int, out []bool) [][]int32 {
	all := make([][]int32, len(x))
	for i := range x {
		type pair struct {
			d   float64
			row int32
		}
		var list []pair
		for j := range x {
			if j == i || out != nil && out[j] {
				continue
			}
			d := 0.0
			for f := range x[i] {
				if set == nil || slices.Contains(set, int32(f)) {
					d += (x[i][f] - x[j][f]) * (x[i][f] - x[j][f])
				}
			}
			list = append(list, pair{d, int32(j)})
		}
		slices.SortStableFunc(list, func(a, b pair) int {
			switch {
			case a.d < b.d:
				return -1
			case a.d > b.d:
				return 1
			}
			return 0
		})
		for _, p := range list[:min(k, len(list))] {
			all[i] = append(all[i], p.row)
		}
		slices.Sort(all[i])
	}
	return all
}

// TestNeighbours compares the search with its definition: dense and sparse points, sets of features, ties, rows that are
// left out, and any number of threads.
func TestNeighbours(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 910)
	for range testlevel.Repeats(20, 60) {
		n, d := 2+rng.IntN(400), 1+rng.IntN(40)
		x, rows := make([][]float64, n), make([]dataset.Row, n)
		for i := range x {
			x[i] = make([]float64, d)
			rows[i].Label = []string{"-1", "1"}[i%2]
			for f := range x[i] {
				if x[i][f] = float64(rng.IntN(5) - 2); x[i][f] != 0 {
					rows[i].Index, rows[i].Value = append(rows[i].Index, int32(f)), append(rows[i].Value, x[i][f])
				}
			}
		}
		var set []int32
		if rng.IntN(2) == 0 {
			for f := range d {
				if f == 0 || rng.IntN(3) == 0 {
					set = append(set, int32(f))
				}
			}
		}
		var out []bool
		if rng.IntN(2) == 0 {
			out = make([]bool, n)
			for i := range out {
				out[i] = rng.IntN(3) == 0
			}
		}
		k := 1 + rng.IntN(min(n, 20))
		want := nearestByDefinition(x, set, k, out)
		for _, layout := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
			s, err := dataset.Build(t.Context(), datasettest.Stream(rows), dataset.StoreOptions{Dir: t.TempDir(), Scale: "none", Layout: layout, Features: d, Memory: 1 << 30, Disk: 1 << 30})
			if err != nil {
				t.Fatal(err)
			}
			w := newNeighbours(s, set, k, 1+rng.IntN(4))
			w.out = out
			got := make([][]int32, n)
			var lock sync.Mutex
			if err := w.each(t.Context(), 0, func(row int, nearest []near) {
				lock.Lock()
				defer lock.Unlock()
				for _, c := range nearest {
					got[row] = append(got[row], c.row)
				}
				slices.Sort(got[row])
			}); err != nil {
				t.Fatal(err)
			}
			for i := range got {
				if !slices.Equal(got[i], want[i]) {
					t.Fatalf("%s, %d rows of %d features, K = %d: row %d has %v, want %v", layout, n, d, k, i, got[i], want[i])
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := w.each(ctx, 0, func(int, []near) {}); !errors.Is(err, context.Canceled) {
				t.Errorf("a search that was ended: %v", err)
			}
			s.Close()
		}
	}
}

// TestNeighboursOfHugeRows: distances beyond single precision are all alike, and the lower numbers win.
func TestNeighboursOfHugeRows(t *testing.T) {
	t.Parallel()
	var rows []dataset.Row
	for i := range 6 {
		rows = append(rows, dataset.Row{Label: []string{"-1", "1"}[i%2], Index: []int32{0}, Value: []float64{math.Pow(-1, float64(i)) * 3e38}})
	}
	for _, layout := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
		s, err := dataset.Build(t.Context(), datasettest.Stream(rows), dataset.StoreOptions{Dir: t.TempDir(), Scale: "none", Layout: layout, Memory: 1 << 30, Disk: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		var list []int32
		if err := newNeighbours(s, nil, 3, 1).each(t.Context(), 0, func(row int, nearest []near) {
			if row == 5 {
				for _, c := range nearest {
					list = append(list, c.row)
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		if slices.Sort(list); !slices.Equal(list, []int32{0, 1, 3}) {
			t.Errorf("%s: nearest to row 5 are %v", layout, list)
		}
		s.Close()
	}
}

// TestParsePosteriors: a text that is not a rule is the name of a file, and a text that begins as a rule has to be one.
func TestParsePosteriors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Posteriors{"knn:5": {Neighbours: 5}, "knn:12@1-3+7": {Neighbours: 12, Features: "1-3+7"}, "knn:1@pix": {Neighbours: 1, Features: "pix"}} {
		p, ok, err := ParsePosteriors(text)
		if !ok || err != nil || p.Neighbours != want.Neighbours || p.Features != want.Features || p.source() != text {
			t.Errorf("%s: %+v, %v, %v", text, p, ok, err)
		}
	}
	for _, text := range []string{"knn:", "knn:0", "knn:-3", "knn:x", "knn:5@", "knn:5.5", "knn: 5", "knn:99999999999999999999"} {
		if _, ok, err := ParsePosteriors(text); !ok || err == nil {
			t.Errorf("%s: %v, %v", text, ok, err)
		}
	}
	for _, text := range []string{"p.txt", "./knn:5", "KNN:5", ""} {
		if _, ok, err := ParsePosteriors(text); ok || err != nil {
			t.Errorf("%s: %v, %v", text, ok, err)
		}
	}
}
