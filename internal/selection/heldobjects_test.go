package selection

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/dataset/objects"
	"bigmkl/internal/datasettest"
	"bigmkl/internal/fail"
)

// pairsOf draws rows that name objects, and opens them.
func pairsOf(t *testing.T, n int, counts ...int) (*dataset.Store, *objects.Set) {
	t.Helper()
	rng := datasettest.Random(t, 77)
	var files []string
	for c, count := range counts {
		var b strings.Builder
		for i := range count {
			fmt.Fprintf(&b, "%c%d,%v\n", 'a'+c, i, rng.NormFloat64())
		}
		path := filepath.Join(t.TempDir(), "objects.csv")
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, fmt.Sprintf("column%d=%s", c, path))
	}
	set, err := objects.Read(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	var rows []dataset.Row
	for i := range n {
		r := dataset.Row{Label: []string{"1", "-1"}[i%2], Target: float64(1 - i%2*2)}
		for c, count := range counts {
			r.Index, r.Value = append(r.Index, int32(c)), append(r.Value, float64(rng.IntN(count)))
		}
		rows = append(rows, r)
	}
	h, err := bigmkl.OpenHeldOut(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: "linear@column0", Objects: set})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h.Store(), set
}

// TestHeldOutObjects: no object of a column that is held out is on both sides, every row is tested once, and rows aside are those with one
// object of each side.
func TestHeldOutObjects(t *testing.T) {
	store, set := pairsOf(t, 400, 23, 11)
	for _, c := range []struct {
		s       Splits
		folds   int
		columns []int
	}{
		{Splits{Folds: 4, HoldOut: "column1", Repeat: 2}, 4, []int{1}},
		{Splits{Folds: 3, HoldOut: HoldOutBoth, Repeat: 2}, 9, []int{0, 1}},
		{Splits{Random: 3, Share: 0.2, HoldOut: HoldOutBoth}, 3, []int{0, 1}},
	} {
		if err := c.s.Validate(); err != nil {
			t.Fatal(err)
		}
		c.s.setDefaults()
		if err := c.s.groupObjects(store, set); err != nil {
			t.Fatal(err)
		}
		drawn, err := c.s.draw(store, 5)
		if err != nil {
			t.Fatal(err)
		}
		if len(drawn) != c.s.Repeat {
			t.Fatalf("%d repetitions, want %d", len(drawn), c.s.Repeat)
		}
		names := [][]string{namesOf(store, set, 0), namesOf(store, set, 1)}
		for _, list := range drawn {
			if len(list) != c.folds {
				t.Fatalf("%v: %d folds, want %d", c.s.HoldOut, len(list), c.folds)
			}
			d := newDivision([][]fold{list}, store.Len())
			tested := make([]int, store.Len())
			for _, f := range list {
				out := d.out[f.Name]
				if !slices.IsSorted(out) || len(out) != len(f.rows)+len(f.aside) {
					t.Fatalf("fold %s: %d rows and %d aside make %d", f.Name, len(f.rows), len(f.aside), len(out))
				}
				for _, i := range f.rows {
					tested[i]++
				}
				for _, column := range c.columns {
					of, trained := names[column], map[string]bool{}
					for _, i := range rest(out, store.Len()) {
						trained[of[i]] = true
					}
					for _, i := range f.rows {
						if trained[of[i]] {
							t.Fatalf("%s, fold %s: the object %s is on both sides", c.s.HoldOut, f.Name, of[i])
						}
					}
				}
				// A row aside has an object of the fold in one column alone.
				for _, i := range f.aside {
					first := slices.ContainsFunc(f.rows, func(j int32) bool { return names[0][j] == names[0][i] })
					second := slices.ContainsFunc(f.rows, func(j int32) bool { return names[1][j] == names[1][i] })
					if first && second {
						t.Fatalf("fold %s: row %d is aside with both objects in the fold", f.Name, i+1)
					}
				}
			}
			for i, n := range tested {
				if c.s.Random == 0 && n != 1 {
					t.Fatalf("row %d is tested %d times", i+1, n)
				}
			}
		}
	}
}

// TestHeldOutObjectsOfOneKind: an object that is held out in one of two columns of its kind is not in the training in the other one.
func TestHeldOutObjectsOfOneKind(t *testing.T) {
	store, set := pairsOf(t, 400, 20, 20)
	set.Columns[1].Kind = 0
	a, b := namesOf(store, set, 0), namesOf(store, set, 1)
	for _, s := range []Splits{
		{Folds: 4, HoldOut: "column0"}, {Folds: 4, HoldOut: "column1"}, {Random: 3, Share: 0.2, HoldOut: "column1"},
		{Folds: 3, HoldOut: HoldOutBoth, Repeat: 2}, {Random: 3, Share: 0.2, HoldOut: HoldOutBoth},
	} {
		s.setDefaults()
		if err := s.groupObjects(store, set); err != nil {
			t.Fatal(err)
		}
		drawn, err := s.draw(store, 5)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range drawn {
			d, tested := newDivision([][]fold{list}, store.Len()), make([]int, store.Len())
			for _, f := range list {
				trained := map[string]bool{}
				for _, i := range rest(d.out[f.Name], store.Len()) {
					trained[a[i]], trained[b[i]] = true, true
				}
				for _, i := range f.rows {
					tested[i]++
					if s.HoldOut != "column1" && trained[a[i]] || s.HoldOut != "column0" && trained[b[i]] {
						t.Fatalf("--hold-out %s, fold %s: an object of the row %s %s is in the training", s.HoldOut, f.Name, a[i], b[i])
					}
				}
			}
			if i := slices.IndexFunc(tested, func(n int) bool { return n != 1 }); s.Random == 0 && i >= 0 {
				t.Fatalf("--hold-out %s: row %d is tested %d times", s.HoldOut, i+1, tested[i])
			}
		}
	}
}

// TestHeldOutObjectsOfOneColumn: two columns are needed to hold both out.
func TestHeldOutObjectsOfOneColumn(t *testing.T) {
	store, set := pairsOf(t, 40, 9)
	s := Splits{Folds: 3, HoldOut: HoldOutBoth}
	if err := s.groupObjects(store, set); !errors.Is(err, fail.Usage) || !strings.Contains(err.Error(), "objects of 1 columns") {
		t.Error(err)
	}
	if err := s.groupObjects(store, nil); !errors.Is(err, fail.Usage) {
		t.Error(err)
	}
}
