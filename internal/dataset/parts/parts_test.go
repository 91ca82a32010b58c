package parts

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"bigmkl/dataset"
	"bigmkl/internal/datasettest"
)

// all reads a source to its end and returns the labels and the features of its rows.
func all(t *testing.T, src dataset.Source) (labels []string, features [][]int32) {
	t.Helper()
	for {
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			return labels, features
		}
		if err != nil {
			t.Fatal(err)
		}
		labels, features = append(labels, row.Label), append(features, slices.Clone(row.Index))
	}
}

// TestParts: each row is in one fold, a part has its rows in their order with label, target and weight, and folds have as many rows
// of each label as any other, or one more.
func TestParts(t *testing.T) {
	t.Parallel()
	rng := datasettest.Random(t, 1)
	rows := datasettest.Clusters(rng, 50, 3, 3, false)
	for i := range rows {
		rows[i].Target, rows[i].Weight = rng.NormFloat64(), rng.Float64()
	}
	r, err := Read(t.Context(), datasettest.Stream(rows), t.TempDir(), 40)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if r.Len() != 40 || r.Bytes() < 40*rowBytes || r.Size() == 0 {
		t.Fatalf("%d rows, %d and %d bytes", r.Len(), r.Bytes(), r.Size())
	}
	of := r.Deal(4, 7)
	if !slices.Equal(of, r.Deal(4, 7)) || slices.Equal(of, r.Deal(4, 8)) {
		t.Error("the seed does not decide the folds")
	}
	seen := 0
	for k := range 4 {
		held, counts := Fold(of, k), map[string]int{}
		for _, yields := range []bool{true, false} {
			p, err := r.Part(held, yields, &dataset.Known{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range 40 {
				if held[i] != yields {
					continue
				}
				row, err := p.Next()
				want := &rows[i]
				if err != nil || row.Label != want.Label || row.Target != want.Target || row.Weight != want.Weight || !slices.Equal(row.Value, want.Value) {
					t.Fatalf("%v: %+v, want %+v", err, row, want)
				}
				if yields {
					seen++
					counts[row.Label]++
				}
			}
			if _, err := p.Next(); !errors.Is(err, io.EOF) {
				t.Error(err)
			}
			if points, err := p.Points(t.Context()); points != nil || err != nil || (p.Width(40) == 0) != yields {
				t.Errorf("%v, %v, %d features", points, err, p.Width(40))
			}
		}
		for label, n := range counts {
			total := 0
			for _, row := range rows[:40] {
				if row.Label == label {
					total++
				}
			}
			if n < total/4 || n > total/4+1 {
				t.Errorf("fold %d has %d of %d rows of %s", k, n, total, label)
			}
		}
	}
	if seen != 40 {
		t.Errorf("%d rows are in folds", seen)
	}
	if labels, _ := all(t, must(t, r, nil)); len(labels) != 40 {
		t.Errorf("%d rows without held-out ones", len(labels))
	}
}

// must returns the rows that are not held out.
func must(t *testing.T, r *Rows, held []bool) *Part {
	t.Helper()
	p, err := r.Part(held, false, &dataset.Known{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCuts: a row that is held out has the features of the others alone, where that is asked for.
func TestCuts(t *testing.T) {
	t.Parallel()
	rows := []dataset.Row{{Label: "a", Index: []int32{0, 2}, Value: []float64{1, 2}}, {Label: "b", Index: []int32{1, 2}, Value: []float64{3, 4}}}
	r, err := Read(t.Context(), datasettest.Stream(rows), t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, cuts := range []bool{false, true} {
		known := &dataset.Known{}
		rest, err := r.Part([]bool{false, true}, false, known)
		if err != nil {
			t.Fatal(err)
		}
		if rest.Width(1) != 3 {
			t.Errorf("%d features", rest.Width(1))
		}
		all(t, rest)
		p, err := r.Part([]bool{false, true}, true, known)
		if err != nil {
			t.Fatal(err)
		}
		p.Cuts = cuts
		want := [][]int32{{1, 2}}
		if cuts {
			want = [][]int32{{2}}
		}
		if labels, features := all(t, p); !slices.Equal(labels, []string{"b"}) || !slices.EqualFunc(features, want, slices.Equal) {
			t.Errorf("%v, %v", labels, features)
		}
	}
}

// TestClasses: labels of the positive class are 1, however they are written, and the others -1.
func TestClasses(t *testing.T) {
	t.Parallel()
	r := &Rows{Names: []string{"3", "0", "x"}}
	if got := r.Classes(nil); !slices.Equal(got, r.Names) {
		t.Error(got)
	}
	if got := r.Classes([]string{"+3", "x"}); !slices.Equal(got, []string{"1", "-1", "1"}) {
		t.Error(got)
	}
	if IsLabel("", "x") || !IsLabel("+1", "1") {
		t.Error("labels of other texts")
	}
}

// failing is a source whose rows end with an error.
type failing struct{ err error }

func (f failing) Next() (dataset.Row, error) { return dataset.Row{}, f.err }

// TestReadFails: an error of the source and the end of the context end the reading, and a folder that does not exist is an error.
func TestReadFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	if _, err := Read(t.Context(), failing{broken}, t.TempDir(), 0); !errors.Is(err, broken) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, failing{broken}, t.TempDir(), 0); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Read(t.Context(), failing{broken}, t.TempDir()+"/nowhere", 0); err == nil {
		t.Error("a folder that does not exist is taken")
	}
}
