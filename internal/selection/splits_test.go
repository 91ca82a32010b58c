package selection

import (
	"fmt"
	"slices"
	"testing"

	"bigmkl"
	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
)

// drawn draws the folds of rows.
func drawn(t *testing.T, rows []dataset.Row, s Splits, seed uint64) [][]fold {
	t.Helper()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	s.setDefaults()
	h, err := bigmkl.OpenHeldOut(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: "linear", Multiclass: "ovr"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	folds, err := s.draw(h.Store(), seed)
	if err != nil {
		t.Fatal(err)
	}
	return folds
}

// TestFolds: every row is in one fold of each repetition, and each class is spread over all of them.
func TestFolds(t *testing.T) {
	rows := datasettest.Clusters(datasettest.Random(t, 8), 103, 2, 4, false)
	count := func(list []int32) map[string]int {
		n := map[string]int{}
		for _, i := range list {
			n[rows[i].Label]++
		}
		return n
	}
	everyone := make([]int32, len(rows))
	for i := range everyone {
		everyone[i] = int32(i)
	}
	all := count(everyone)
	folds := drawn(t, rows, Splits{Folds: 4, Repeat: 3}, 1)
	if len(folds) != 3 || len(folds[0]) != 4 {
		t.Fatal(folds)
	}
	for _, list := range folds {
		var seen []int32
		for _, f := range list {
			if !slices.IsSorted(f.rows) {
				t.Fatal(f)
			}
			seen = append(seen, f.rows...)
			for class, n := range count(f.rows) {
				if n < all[class]/4 || n > all[class]/4+1 {
					t.Errorf("fold %s has %d rows of class %s, of %d", f.Name, n, class, all[class])
				}
			}
		}
		slices.Sort(seen)
		if !slices.Equal(seen, everyone) {
			t.Error("the folds are no partition")
		}
	}
	if fmt.Sprint(folds[0]) == fmt.Sprint(folds[1]) {
		t.Error("both repetitions are the same")
	}
	if fmt.Sprint(folds) != fmt.Sprint(drawn(t, rows, Splits{Folds: 4, Repeat: 3}, 1)) {
		t.Error("the same seed gives other folds")
	}
	if fmt.Sprint(folds) == fmt.Sprint(drawn(t, rows, Splits{Folds: 4, Repeat: 3}, 2)) {
		t.Error("another seed gives the same folds")
	}
	for _, f := range drawn(t, rows, Splits{Random: 6, Share: 0.2}, 1)[0] {
		if len(f.rows) != 21 {
			t.Errorf("a fifth of 103 rows is %d", len(f.rows))
		}
		for class, n := range count(f.rows) {
			if n < all[class]/5-1 || n > all[class]/5+1 {
				t.Errorf("split %s has %d rows of class %s, of %d", f.Name, n, class, all[class])
			}
		}
	}
}

// TestGroups: the rows of a group are together, whatever the folds.
func TestGroups(t *testing.T) {
	rows := datasettest.Clusters(datasettest.Random(t, 9), 90, 2, 3, false)
	groups := make([]string, len(rows))
	for i := range groups {
		groups[i] = fmt.Sprint("patient ", i*i%17)
	}
	for _, s := range []Splits{{Folds: 3, Groups: groups}, {Random: 5, Share: 0.3, Groups: groups}} {
		for _, f := range drawn(t, rows, s, 3)[0] {
			in := map[string]bool{}
			for _, i := range f.rows {
				in[groups[i]] = true
			}
			size := 0
			for _, g := range groups {
				if in[g] {
					size++
				}
			}
			if size != len(f.rows) || size < 15 || size > 45 {
				t.Errorf("fold %s has %d rows of groups with %d", f.Name, len(f.rows), size)
			}
		}
	}
	given := drawn(t, rows, Splits{Given: groups}, 0)[0]
	if given[0].Name != "patient 0" || given[0].rows[0] != 0 || given[1].Name != "patient 1" {
		t.Errorf("%v", given)
	}
}

// TestSplitFaults lists what is wrong at once.
func TestSplitFaults(t *testing.T) {
	for _, s := range []Splits{
		{Folds: 1}, {Random: 1, Share: 0.5}, {Random: 5}, {Random: 5, Share: 1}, {Folds: 5, Random: 5, Share: 0.1},
		{Random: 5, Share: 0.1, Repeat: 2}, {Given: []string{"a"}, Groups: []string{"b"}}, {Repeat: -1},
	} {
		if s.Validate() == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
	rows := datasettest.Clouds(datasettest.Random(t, 10), 20, 2)
	h, err := bigmkl.OpenHeldOut(t.Context(), datasettest.Stream(rows), bigmkl.Options{Kernels: "linear"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	one := slices.Repeat([]string{"a"}, 20)
	for _, s := range []Splits{{Given: one}, {Given: one[1:]}, {Folds: 5, Groups: one}, {Folds: 30}} {
		if f, err := s.draw(h.Store(), 0); err == nil {
			t.Errorf("%+v gives %v", s, f)
		}
	}
}
