package dataset

import (
	"errors"
	"math"
	"slices"
	"testing"

	"bigmkl/internal/fail"
)

// naiveScaling follows the definitions, in two passes over dense columns.
func naiveScaling(kind string, x [][]float64) (factor, offset []float64) {
	n, d := len(x), len(x[0])
	most := 0.0
	for j := range d {
		least, greatest, mean, square := math.Inf(1), math.Inf(-1), 0.0, 0.0
		for i := range n {
			v := x[i][j]
			least, greatest, mean = min(least, v), max(greatest, v), mean+v/float64(n)
			most = max(most, math.Abs(v))
		}
		for i := range n {
			square += (x[i][j] - mean) * (x[i][j] - mean) / float64(n)
		}
		f := 0.0
		switch {
		case least == greatest:
		case kind == ScaleMinMax:
			f = 1 / (greatest - least)
		default:
			f = 1 / math.Sqrt(square)
		}
		factor = append(factor, f)
		if kind == ScaleMinMax {
			offset = append(offset, least)
		} else {
			offset = append(offset, mean)
		}
	}
	switch kind {
	case ScaleNone:
		return nil, nil
	case ScaleGlobal:
		return []float64{1 / most}, nil
	}
	return factor, offset
}

func TestScalingAgainstDefinition(t *testing.T) {
	for _, n := range []int{1, 2, 31, 32, 33, 200} {
		text := randomText(uint64(n), n, 20)
		rows := mustParse(t, text)
		for _, kind := range []string{ScaleNone, ScaleMinMax, ScaleStandard, ScaleGlobal} {
			s := build(t, text, StoreOptions{Scale: kind, Features: 21})
			x := denseRows(rows, s.Dim())
			factor, offset := naiveScaling(kind, x)
			sc := s.Scaling()
			if err := sc.Validate(s.Dim()); err != nil {
				t.Fatal(err)
			}
			if sc.Kind != kind || len(sc.Factor) != len(factor) || len(sc.Offset) != len(offset) {
				t.Fatalf("%s: %d factors, %d offsets", sc.Kind, len(sc.Factor), len(sc.Offset))
			}
			for j := range factor {
				// Column 2 lies at 1000 with a spread of 1e-3: the definition itself keeps about nine digits of it.
				if math.Abs(sc.Factor[j]-factor[j]) > 1e-9*math.Abs(factor[j]) {
					t.Errorf("n %d, %s: factor %d is %v, want %v", n, kind, j+1, sc.Factor[j], factor[j])
				}
			}
			for j := range offset {
				if !near(sc.Offset[j], offset[j], 1e-13) {
					t.Errorf("n %d, %s: offset %d is %v, want %v", n, kind, j+1, sc.Offset[j], offset[j])
				}
			}
			checkStore(t, s, rows)
		}
	}
}

func TestScalingNumbers(t *testing.T) {
	// Columns: 0 and 10; -1, 0, 3 with the zero implicit; constant 7; constant zero, written once.
	text := "1 1:10 2:-1 3:7 4:0\n1 3:7\n2 1:0 2:3 3:7\n"
	want := map[string][][]float32{
		ScaleNone:     {{10, -1, 7, 0}, {0, 0, 7, 0}, {0, 3, 7, 0}},
		ScaleMinMax:   {{1, 0, 0, 0}, {0, .25, 0, 0}, {0, 1, 0, 0}},
		ScaleGlobal:   {{1, -.1, .7, 0}, {0, 0, .7, 0}, {0, .3, .7, 0}},
		ScaleStandard: {{1.4142135, -0.9805807, 0, 0}, {-0.70710677, -0.39223227, 0, 0}, {-0.70710677, 1.3728129, 0, 0}},
	}
	for kind, rows := range want {
		s := build(t, text, StoreOptions{Scale: kind})
		got := make([]float32, 4)
		for i, row := range rows {
			s.Row(i, got)
			for j := range row {
				if !near(float64(got[j]), float64(row[j]), 1e-7) {
					t.Errorf("%s, row %d: %v, want %v", kind, i, got, row)
				}
			}
		}
	}
}

func TestScalingFaults(t *testing.T) {
	for text, kind := range map[string]string{
		"1 1:1\n2 1:1e39\n": ScaleNone, "1 1:1\n2 1:-3.5e38\n": ScaleNone,
	} {
		for _, l := range []Layout{LayoutDense, LayoutSparse} {
			_, err := tryBuild(t, text, StoreOptions{Scale: kind, Layout: l})
			wantFault(t, err, fail.Input, "in", 2, 0, "too large for a float32")
		}
	}
	for text, kind := range map[string]string{"1 1:1e308\n2 1:-1e308\n": ScaleMinMax, "1 1:1e200\n2 1:-1e200\n": ScaleStandard,
		"1 1:1.7e308\n2 1:-1.7e308\n": ScaleStandard} {
		_, err := tryBuild(t, text, StoreOptions{Scale: kind})
		wantFault(t, err, fail.Input, "", 0, 0, "feature 1")
	}
	// Large numbers fit once they are scaled, and differences that vanish count as none.
	for text, kind := range map[string]string{"1 1:1e300\n2 1:-1e300\n": ScaleGlobal, "1 1:1e300\n2\n": ScaleMinMax,
		"1 1:1e-310\n2\n": ScaleMinMax, "1 1:5e-324\n2\n": ScaleGlobal, "1 1:1e-200\n2\n": ScaleStandard, "1\n2 1:-0\n": ScaleGlobal} {
		s, _ := layouts(t, text, StoreOptions{Scale: kind})
		for j, v := range s.Panel(0) {
			if math.Abs(float64(v)) > 1 || math.Signbit(float64(v)) && v == 0 {
				t.Errorf("%q, %s: lane %d holds %v", text, kind, j, v)
			}
		}
	}
	for _, s := range []Scaling{{Kind: "x"}, {Kind: ScaleMinMax}, {Kind: ScaleGlobal}, {Kind: ScaleNone, Factor: []float64{1}},
		{Kind: ScaleStandard, Factor: []float64{1, 1}, Offset: []float64{1}}, {Kind: ScaleStandard, Factor: []float64{1, math.NaN()}, Offset: []float64{1, 0}},
		{Kind: ScaleMinMax, Factor: []float64{1, 1}, Offset: []float64{math.Inf(1), 0}}} {
		if err := s.Validate(2); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if err := new(Scaling).Validate(2); err != nil {
		t.Error(err)
	}
	if _, err := ParseScale("max"); !errors.Is(err, fail.Usage) {
		t.Error(err)
	}
}

func TestDenseFaults(t *testing.T) {
	dst := make([]float32, 3)
	for _, c := range []struct {
		scaling Scaling
		row     Row
		message string
	}{
		{Scaling{}, Row{Index: []int32{3}, Value: []float64{1}}, "feature 4, but the model has only 3"},
		{Scaling{}, Row{Index: []int32{-1}, Value: []float64{1}}, "feature 0"},
		{Scaling{}, Row{Index: []int32{1}, Value: []float64{1e39}}, "value 1e+39 of feature 2"},
		{Scaling{}, Row{Index: []int32{1}, Value: []float64{math.NaN()}}, "the value of feature 2 is missing"},
		{Scaling{}, Row{Index: []int32{1}}, "1 indices but 0 values"},
		{Scaling{Kind: ScaleGlobal, Factor: []float64{1e30}}, Row{Index: []int32{0}, Value: []float64{1e10}}, "feature 1"},
	} {
		c.row.File, c.row.Line = "f", 9
		wantFault(t, c.scaling.Dense(c.row, dst), fail.Input, "f", 9, 0, c.message)
	}
}

// TestSparseRows: both forms of a scaled row hold the same numbers.
func TestSparseRows(t *testing.T) {
	const d = 9
	for _, s := range []Scaling{
		{Kind: ScaleNone},
		{Kind: ScaleGlobal, Factor: []float64{0.25}},
		{Kind: ScaleMinMax, Offset: []float64{0, 1, -2, 0, 0, 5, 0, 0, 1}, Factor: []float64{1, 2, 3, 0, 1, 0, 1, 2, 0.5}},
	} {
		for _, r := range []Row{
			{},
			{Index: []int32{0, 1, 5, 8}, Value: []float64{3, 1, 2, -4}},
			{Index: []int32{2, 3, 4}, Value: []float64{0, 7, 1e-60}},
		} {
			want := make([]float32, d)
			if err := s.Dense(r, want); err != nil {
				t.Fatal(err)
			}
			index, value, err := s.Sparse(r, d, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float32, d)
			last := int32(-1)
			for k, j := range index {
				if j <= last || value[k] == 0 {
					t.Errorf("%s: entries %v of %v", s.Kind, index, value)
				}
				got[j], last = value[k], j
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", s.Kind, got, want)
			}
		}
		for _, r := range []Row{
			{Index: []int32{9}, Value: []float64{1}}, {Index: []int32{4, 3}, Value: []float64{1, 1}}, {Index: []int32{1}, Value: []float64{1e300}},
			{Index: []int32{-1}, Value: []float64{1}}, {Index: []int32{1}},
		} {
			if _, _, err := s.Sparse(r, d, nil, nil); !errors.Is(err, fail.Input) {
				t.Errorf("%s, %v: %v", s.Kind, r, err)
			}
		}
	}
}
