package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// gapsOf returns rows that lack some values, zeros among the others.
func gapsOf(rng *rand.Rand, n, d int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		r := Row{Label: []string{"a", "b"}[i%2], Weight: 1}
		for j := range d {
			v := rng.NormFloat64()*float64(1+9*j) + 3
			switch rng.IntN(5) {
			case 0:
				v = math.NaN()
			case 1:
				v = 0
			}
			if v != 0 {
				r.Index, r.Value = append(r.Index, int32(j)), append(r.Value, v)
			}
		}
		rows[i] = r
	}
	return rows
}

// TestImpute: a missing value is replaced by the median or mean of the values that rows have, and a scaling comes
// from these values. One feature at a time, the rows that have it give the same without the others.
func TestImpute(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 35))
		n, d := 1+rng.IntN(60), 1+rng.IntN(4)
		rows := gapsOf(rng, n, d)
		for _, impute := range Imputations[1:] {
			for _, scale := range []string{ScaleNone, ScaleMinMax, ScaleStandard, ScaleGlobal} {
				s := build(t, writeRows(rows, false), StoreOptions{Scale: scale, Impute: impute, Features: d}).Scaling()
				if err := s.Validate(d); err != nil {
					t.Fatal(err)
				}
				for j := range d {
					var values []float64
					var present []Row
					for _, r := range rows {
						k, given := slices.BinarySearch(r.Index, int32(j))
						one := Row{Label: r.Label, Weight: 1}
						if given && math.IsNaN(r.Value[k]) {
							continue
						}
						v := 0.0
						if given {
							v = r.Value[k]
							one.Index, one.Value = []int32{0}, []float64{v}
						}
						values, present = append(values, v), append(present, one)
					}
					if want := fillOf(impute, values); math.Abs(s.Fill[j]-want) > 1e-12*(1+math.Abs(want)) {
						t.Fatalf("seed %d, %s, feature %d: %g stands for a missing value, want %g", seed, impute, j+1, s.Fill[j], want)
					}
					if len(s.Offset) == 0 || len(present) == 0 {
						continue
					}
					alone := build(t, writeRows(present, false), StoreOptions{Scale: scale, Features: 1}).Scaling()
					if s.Offset[j] != alone.Offset[0] || s.Factor[j] != alone.Factor[0] {
						t.Fatalf("seed %d, %s, feature %d: offset %g and factor %g, and %g and %g without the rows that lack it", seed, scale,
							j+1, s.Offset[j], s.Factor[j], alone.Offset[0], alone.Factor[0])
					}
				}
			}
		}
	}
}

// fillOf is the replacement of a missing value, by its definition.
func fillOf(impute string, values []float64) float64 {
	n := len(values)
	if n == 0 || impute == ImputeZero {
		return 0
	}
	if impute == imputeMean {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum / float64(n)
	}
	slices.Sort(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// TestImputedValues: a store has the replacement of a missing value, as if the row had it.
func TestImputedValues(t *testing.T) {
	const text = "a 1:1 2:nan 3:4\nb 1:NaN 2:8 3:2\na 1:3 2:6\n"
	whole := "a 1:1 2:7 3:4\nb 1:2 2:8 3:2\na 1:3 2:6\n"
	for _, layout := range []Layout{LayoutDense, LayoutSparse} {
		got := build(t, text, StoreOptions{Impute: ImputeMedian, Layout: layout})
		want := build(t, whole, StoreOptions{Layout: layout})
		if got.Fingerprint() != want.Fingerprint() {
			t.Errorf("%s: other points than those with the values written out", layout)
		}
	}
}

// TestMissingIsRefused: a value that is missing is an error, with its place and the option, if it has no replacement.
func TestMissingIsRefused(t *testing.T) {
	for _, word := range []string{"nan", "NaN", "-nan", "NA", "?"} {
		_, err := NewReader(strings.NewReader("a 1:2\nb 1:3 4:"+word+" 5:1\n"), "in", ReadOptions{}).Next()
		if err != nil {
			t.Fatal(err)
		}
		r := NewReader(strings.NewReader("b 1:3 4:"+word+" 5:1\n"), "in", ReadOptions{})
		_, err = r.Next()
		if want := "in:1:7: the value of feature 4 is missing"; fmt.Sprint(err) != want && !strings.HasPrefix(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, want %s", word, err, want)
		}
		if !strings.Contains(fmt.Sprint(err), "--impute") {
			t.Errorf("%s: no hint at the option: %v", word, err)
		}
		row, err := NewReader(strings.NewReader("b 1:3 4:"+word+" 5:1\n"), "in", ReadOptions{Impute: imputeMean}).Next()
		if err != nil || len(row.Value) != 3 || !math.IsNaN(row.Value[1]) || row.Value[2] != 1 {
			t.Errorf("%s: %v, %v", word, row.Value, err)
		}
	}
	s := Scaling{Kind: ScaleNone}
	missing := Row{File: "x", Line: 3, Index: []int32{1}, Value: []float64{math.NaN()}}
	if err := s.Dense(missing, make([]float32, 2)); !strings.Contains(fmt.Sprint(err), "feature 2 is missing") {
		t.Errorf("dense: %v", err)
	}
	if _, _, err := s.Sparse(missing, 2, nil, nil); !strings.Contains(fmt.Sprint(err), "feature 2 is missing") {
		t.Errorf("sparse: %v", err)
	}
}
