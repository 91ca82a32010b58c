package dataset

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

// buildText makes a store of libsvm text.
func buildText(t *testing.T, text string, o StoreOptions) (*Store, error) {
	t.Helper()
	r := NewReader(strings.NewReader(text), "rows", ReadOptions{Labels: o.Labels})
	o.Dir = t.TempDir()
	s, err := Build(context.Background(), r, o)
	if err == nil {
		t.Cleanup(func() { s.Close() })
	}
	return s, err
}

// TestExtend holds a store that was extended to the one that is built of the same rows at once,
// where nothing is learned from the rows.
func TestExtend(t *testing.T) {
	var lines []string
	for i := range 100 {
		y := []string{"-1", "+1"}[i%2]
		lines = append(lines, y+" 1:0.5 "+[]string{"2:1", "3:-2.25", "40:1e-3", ""}[i%4])
	}
	lines[3] += " 40:3"
	text := func(from, to int) string { return strings.Join(lines[from:to], "\n") + "\n" }
	for _, layout := range []Layout{LayoutDense, LayoutSparse} {
		o := StoreOptions{Layout: layout}
		first, err := buildText(t, text(0, 37), o)
		if err != nil {
			t.Fatal(err)
		}
		o.Like = first
		more, err := buildText(t, text(37, 100), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, without := range []int{0, 5, 37} {
			whole, err := buildText(t, text(without, 100), StoreOptions{Layout: layout, Features: 40})
			if err != nil {
				t.Fatal(err)
			}
			s, err := first.Extend(context.Background(), t.TempDir(), without, more)
			if err != nil {
				t.Fatal(err)
			}
			if s.Fingerprint() != whole.Fingerprint() || s.Len() != whole.Len() ||
				!slices.Equal(s.Labels(), whole.Labels()) || s.Size().Nonzeros != whole.Size().Nonzeros {
				t.Errorf("%s without %d: %+v, want %+v", layout, without, s.Size(), whole.Size())
			}
			a, b := make([]float32, 40), make([]float32, 40)
			for i := range s.Len() {
				s.Row(i, a)
				whole.Row(i, b)
				if !slices.Equal(a, b) {
					t.Fatalf("row %d is %v, want %v", i, a, b)
				}
			}
			s.Close()
		}
	}
}

// TestLike: rows that do not fit the rows before are errors.
func TestLike(t *testing.T) {
	first, err := buildText(t, "+1 1:1 3:2\n-1 2:4\n", StoreOptions{Scale: ScaleMinMax})
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"+1 1:1\n-1 4:1\n": "rows:2: feature 4, but the rows before have only 3 features",
		"+1 1:1\n2 3:1\n":  "rows:2: class \"2\", but the rows before have only -1, 1",
		"":                 "no rows",
	} {
		_, err := buildText(t, text, StoreOptions{Like: first})
		if !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	// A value beyond the values of the first rows is scaled as these were.
	more, err := buildText(t, "+1 1:2\n", StoreOptions{Like: first})
	if err != nil {
		t.Fatal(err)
	}
	row := make([]float32, 3)
	more.Row(0, row)
	if math.Abs(float64(row[0])-2) > 1e-6 {
		t.Errorf("scaled to %v", row)
	}
}
