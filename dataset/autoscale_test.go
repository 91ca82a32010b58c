package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// scaleRows draws rows of d features whose deviations are given. A feature with deviation 0 is a flag.
func scaleRows(seed uint64, n int, deviations ...float64) []Row {
	rng := rand.New(rand.NewPCG(seed, 1))
	rows := make([]Row, n)
	for i := range rows {
		r := Row{Label: []string{"a", "b"}[i%2], Target: rng.NormFloat64(), Weight: 1}
		for j, s := range deviations {
			v := 7 + s*rng.NormFloat64()
			if s == 0 {
				v = float64(rng.IntN(2))
			}
			r.Index, r.Value = append(r.Index, int32(j)), append(r.Value, v)
		}
		rows[i] = r
	}
	return rows
}

// farRows are alike except for three rows, in which one feature has values that decide its variance.
func farRows() []Row {
	rows := scaleRows(10, 1000, 2, 2, 2, 2)
	for i := range 3 {
		rows[100*i].Value[2] = 700
	}
	return rows
}

// signRows have features of one sign and of both, whose deviations are 1, 1, 3 and 3.
func signRows(signed ...int) []Row {
	rows := scaleRows(11, 500, 1, 1, 3, 3)
	for i := range rows {
		for j := range rows[i].Value {
			rows[i].Value[j] += 20
		}
		if signed[0] == 0 {
			continue
		}
		for _, j := range signed {
			rows[i].Value[j] -= 27
		}
	}
	return rows
}

// wordRows have a column of so many words, and two numbers of unlike deviations.
func wordRows(words int) []Row {
	rows := scaleRows(12, 400, 3, 900)
	for i := range rows {
		r := &rows[i]
		r.Index, r.Value = []int32{int32(i * 7 % words), int32(words), int32(words + 1)}, []float64{1, r.Value[0], r.Value[1]}
	}
	return rows
}

// writeRows returns rows as text. Zeros are left out unless they are asked for.
func writeRows(rows []Row, zeros bool) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r.Label)
		for k, j := range r.Index {
			if r.Value[k] != 0 || zeros {
				fmt.Fprintf(&b, " %d:%v", j+1, r.Value[k])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestScaleAuto: features of unequal variances are standardised as by standard scaling, flags apart, and
// others stay as they are.
func TestScaleAuto(t *testing.T) {
	views := []View{{Name: "wide", First: 1, Last: 3}, {Name: "even", First: 4, Last: 6}}
	for _, c := range []struct {
		name   string
		rows   []Row
		views  []View
		kind   string
		choice string
		scaled []int // features
	}{
		{"unequal", scaleRows(1, 200, 1, 1, 50), nil, ScaleStandard, "standard (3 features, effective number 1)", []int{0, 1, 2}},
		{"equal", scaleRows(2, 200, 1, 1, 1.2), nil, ScaleNone, "none (3 features, effective number 3)", nil},
		{"few far rows", farRows(), nil, ScaleNone, "none (4 features, effective number 4 in most rows)", nil},
		{"signs that differ", signRows(1, 3), nil, ScaleStandard, "standard (4 features, effective number 2.4)", []int{0, 1, 2, 3}},
		{"signs that are alike", signRows(0, 4), nil, ScaleNone, "none (4 features, effective number 2.4)", nil},
		{"one feature", scaleRows(3, 60, 50), nil, ScaleNone, "none (1 feature)", nil},
		{"flags", scaleRows(4, 60, 0, 0, 0, 0), nil, ScaleNone, "none (two values each)", nil},
		{"flags among numbers", scaleRows(5, 200, 0, 3, 0, 90), nil, ScaleStandard, "standard (4 features, effective number 1)", []int{1, 3}},
		{"words beside numbers", wordRows(30), nil, ScaleStandard, "standard (32 features, effective number 1)", []int{30, 31}},
		{"views", scaleRows(6, 200, 1, 1, 50, 2, 2, 2), views, ScaleStandard,
			"wide standard (3 features, effective number 1), even none (3 features, effective number 3)", []int{0, 1, 2}},
		{"a view and others", scaleRows(7, 200, 1, 1, 1, 4, 900), views[:1], ScaleStandard,
			"none (3 features, effective number 3), others standard (2 features, effective number 1)", []int{3, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := writeRows(c.rows, false)
			s := build(t, text, StoreOptions{Scale: ScaleAuto, Views: c.views}).Scaling()
			if s.Kind != c.kind || s.Choice != c.choice {
				t.Errorf("%s: %q, want %s: %q", s.Kind, s.Choice, c.kind, c.choice)
			}
			whole := build(t, text, StoreOptions{Scale: ScaleStandard}).Scaling()
			if err := s.Validate(len(whole.Factor)); err != nil {
				t.Error(err)
			}
			for j := range s.Factor {
				factor, offset := 1.0, 0.0
				for _, k := range c.scaled {
					if j == k {
						factor, offset = whole.Factor[j], whole.Offset[j]
					}
				}
				if s.Factor[j] != factor || s.Offset[j] != offset {
					t.Errorf("feature %d: factor %g and offset %g, want %g and %g", j+1, s.Factor[j], s.Offset[j], factor, offset)
				}
			}
			// Zeros that are written choose the same.
			if again := build(t, writeRows(c.rows, true), StoreOptions{Scale: ScaleAuto, Views: c.views}); fmt.Sprint(*again.Scaling()) != fmt.Sprint(*s) {
				t.Errorf("with zeros written: %v, want %v", *again.Scaling(), *s)
			}
		})
	}
}

// TestScaleAutoLeavesSparse: features with few values other than zero stay as they are, however unequal,
// and so do letters.
func TestScaleAutoLeavesSparse(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "%d", i%2)
		for j := range 50 {
			if rng.IntN(20) == 0 {
				fmt.Fprintf(&text, " %d:%g", j+1, math.Exp(4*rng.NormFloat64()))
			}
		}
		text.WriteByte('\n')
	}
	for _, views := range [][]View{nil, {{Name: "all", First: 1, Last: 50}}} {
		if s := build(t, text.String(), StoreOptions{Scale: ScaleAuto, Views: views}).Scaling(); s.Kind != ScaleNone || s.Choice != "none (sparse)" {
			t.Errorf("%v: %s: %q", views, s.Kind, s.Choice)
		}
	}
	letters := build(t, "1 1:1 2:3 3:3 4:2\n2 1:4 2:1 3:3 4:2\n", StoreOptions{Scale: ScaleAuto, Sequences: DNA})
	if s := letters.Scaling(); s.Kind != ScaleNone || s.Choice != "" {
		t.Errorf("letters: %s: %q", s.Kind, s.Choice)
	}
}

// TestScaleAutoOfScaledRows: what was standardised is not unequal any more.
func TestScaleAutoOfScaledRows(t *testing.T) {
	rows := scaleRows(9, 300, 1e-3, 5, 1e4, 0)
	s := build(t, writeRows(rows, false), StoreOptions{Scale: ScaleAuto}).Scaling()
	for i := range rows {
		dense := make([]float32, 4)
		if err := s.Dense(rows[i], dense); err != nil {
			t.Fatal(err)
		}
		for j, v := range dense {
			rows[i].Value[j] = float64(v)
		}
	}
	if s := build(t, writeRows(rows, false), StoreOptions{Scale: ScaleAuto}).Scaling(); s.Kind != ScaleNone {
		t.Errorf("scaled again: %s", s.Choice)
	}
}
