package train

import (
	"slices"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
)

// TestContradictionsAreCounted: all rows of equal features and unequal labels count, in dense and sparse
// stores, over borders of panels, and not beyond the rows that are looked at.
func TestContradictionsAreCounted(t *testing.T) {
	t.Parallel()
	rows := datasettest.Clusters(datasettest.Random(t, 3), 100, 4, 2, false)
	twin := func(of int, label string) {
		r := rows[of]
		r.Label, r.Index, r.Value = label, slices.Clone(r.Index), slices.Clone(r.Value)
		rows = append(rows, r)
	}
	other := map[string]string{"0": "1", "1": "0"}
	count := func(layout dataset.Layout, n int) int {
		s, err := dataset.Build(t.Context(), datasettest.Stream(rows), dataset.StoreOptions{Layout: layout, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		first, err := s.Twins(t.Context(), min(n, s.Len()))
		if err != nil {
			t.Fatal(err)
		}
		return countContradictions(first, s.Labels())
	}
	for _, layout := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
		if got := count(layout, 1000); got != 0 {
			t.Errorf("%s: %d of rows that differ", layout, got)
		}
	}
	twin(5, rows[5].Label)
	twin(7, other[rows[7].Label])
	twin(60, other[rows[60].Label])
	twin(60, other[rows[60].Label])
	for _, layout := range []dataset.Layout{dataset.LayoutDense, dataset.LayoutSparse} {
		for n, want := range map[int]int{1000: 5, 104: 5, 103: 4, 102: 2, 101: 0, 0: 0} {
			if got := count(layout, n); got != want {
				t.Errorf("%s, the first %d rows: %d, want %d", layout, n, got, want)
			}
		}
	}
}
