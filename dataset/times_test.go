package dataset

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/fail"
)

// TestTimes reads times in every spelling, in libsvm text and as words of a Labeler.
func TestTimes(t *testing.T) {
	for word, want := range map[string]float64{
		"12": 12, "12.5+": -12.5, "-3": -3, "1e2+": -100, "7:1": 7, "7:0": -7, "7:dead": 7, "7:Censored": -7, "0.25:TRUE": 0.25, "2:no": -2,
	} {
		var row Row
		if err := NewLabeler(Times).Set(&row, []byte(word)); err != nil || row.Target != want || row.Label != "" {
			t.Errorf("%s: %v, %v", word, row.Target, err)
		}
	}
	for word, message := range map[string]string{
		"0": "not above 0", "0+": "not above 0", "-0": "not above 0", "-3+": "no", "+3": "plain decimal", "-": "plain decimal", "+": "plain decimal",
		"abc": "plain decimal", "NaN": "plain decimal", "1e400": "plain decimal", "--3": "plain decimal", "5:2": "no event behind its colon", "5:": "no event", ":1": "plain decimal",
		"5:1:1": "no event", "12 ": "plain decimal", "5:" + strings.Repeat("1", 5000): "no event",
	} {
		var row Row
		err := NewLabeler(Times).Set(&row, []byte(word))
		if !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), message) || len(err.Error()) > 400 {
			t.Errorf("%.20s: %v, target %v", word, err, row.Target)
		}
	}
}

// TestIntervals reads bounds of times in every spelling, and writes them as they are read.
func TestIntervals(t *testing.T) {
	for word, want := range map[string][2]float64{
		"2..5.5": {-2, 5.5}, "..3.5": {0, 3.5}, "0..3.5": {0, 3.5}, "0.0..3.5": {0, 3.5}, "12..": {-12, 0}, "7..7": {7, 0}, "1e-3..1e3": {-1e-3, 1e3}, ".5..2": {-0.5, 2}, "12+": {-12, 0}, "3": {3, 0},
	} {
		var row Row
		err := NewLabeler(Times).Set(&row, []byte(word))
		if err != nil || row.Target != want[0] || row.Upper != want[1] {
			t.Errorf("%s: %v, %v, %v", word, row.Target, row.Upper, err)
		}
		var again Row
		if err := NewLabeler(Times).Set(&again, []byte(labeltext.FormatTime(row.Target, row.Upper))); err != nil || again.Target != row.Target || again.Upper != row.Upper {
			t.Errorf("%s is written as %s: %v", word, labeltext.FormatTime(row.Target, row.Upper), err)
		}
		from, to := labeltext.TimeBounds(row.Target, row.Upper)
		if row.Target > 0 && (from != row.Target || to != from) || row.Target <= 0 && (from != -row.Target || to != row.Upper && !math.IsInf(to, 1)) {
			t.Errorf("%s: bounds %v and %v", word, from, to)
		}
	}
	for word, message := range map[string]string{
		"..": "no bound", "0..": "no bound", "5..2": "lower bound above its upper", "..0": "upper bound that is not above 0", "-1..2": "lower bound that is not", "1..-2": "upper bound that is not",
		"1..2..3": "upper bound that is not", "a..2": "lower bound that is not", "1..b": "upper bound that is not", "1+..2": "lower bound that is not", "1..inf": "upper bound that is not", "1..2+": "upper bound that is not",
		"2...5": "three points", "...5": "three points", "3.5-": "sign behind it", "1..2:1": "upper bound that is not",
	} {
		var row Row
		if err := NewLabeler(Times).Set(&row, []byte(word)); !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, %v, %v", word, row.Target, row.Upper, err)
		}
	}
	r := NewReader(strings.NewReader("2..5 1:1\n7 1:2\n1:3\n"), "text", ReadOptions{Labels: Times})
	for _, want := range []float64{5, 0, 0} {
		if row, err := r.Next(); err != nil || row.Upper != want {
			t.Errorf("the upper bound %v, want %v: %v", row.Upper, want, err)
		}
	}
}

// TestIntervalsOfStores: a store keeps upper bounds from the first one on, a choice of rows and joined stores have theirs, and another bound is
// another fingerprint.
func TestIntervalsOfStores(t *testing.T) {
	build := func(uppers ...float64) *Store {
		s, err := Build(t.Context(), FromSeq(func(yield func(Row) bool) {
			for i, u := range uppers {
				r := Row{Target: 1, Upper: u, Index: []int32{0}, Value: []float64{float64(i)}}
				if u > 0 {
					r.Target = -0.5
				}
				if !yield(r) {
					return
				}
			}
		}), StoreOptions{Dir: t.TempDir(), Labels: Times})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	s := build(0, 0, 3, 0, 4)
	if !slices.Equal(s.Uppers(), []float64{0, 0, 3, 0, 4}) || build(0, 0).Uppers() != nil {
		t.Errorf("%v", s.Uppers())
	}
	if build(0, 0, 3, 0, 5).Fingerprint() == s.Fingerprint() {
		t.Error("another bound, and the same fingerprint")
	}
	picked, err := s.Select(t.Context(), t.TempDir(), []int32{0, 1, 3})
	if err != nil || picked.Uppers() != nil {
		t.Errorf("rows without bounds: %v, %v", picked.Uppers(), err)
	}
	defer picked.Close()
	m := s.Image()
	again, err := Restore(t.Context(), t.TempDir(), m, func(part int, to []byte) error { copy(to, m.Points[part]); return nil })
	if err != nil || !slices.Equal(again.Uppers(), s.Uppers()) {
		t.Errorf("restored: %v", err)
	} else {
		again.Close()
	}
}

// TestTimesOfText: rows of libsvm text have T or T+, and may have none. What looks like a feature is one.
func TestTimesOfText(t *testing.T) {
	read := func(text string) (targets []float64, err error) {
		r := NewReader(strings.NewReader(text), "text", ReadOptions{Labels: Times})
		for {
			row, err := r.Next()
			if err == io.EOF {
				return targets, nil
			}
			if err != nil {
				return targets, err
			}
			targets = append(targets, row.Target)
		}
	}
	got, err := read("3.5 1:2\n4+ 1:1\n-2 2:1\n1:7 3:1\n")
	if err != nil || len(got) != 4 || !slices.Equal(got[:3], []float64{3.5, -4, -2}) || !math.IsNaN(got[3]) {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"12:1 1:0.5\n", "0.5:1 1:2\n"} {
		if _, err := read(text); !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), "T+") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestTimesOfRows: a store rejects rows without a time.
func TestTimesOfRows(t *testing.T) {
	for _, c := range []struct {
		target, upper float64
		message       string
	}{{math.NaN(), 0, "no time"}, {0, 0, "the time is 0"}, {math.Inf(-1), 0, "the time is -Inf"}, {1, 2, "with the upper bound 2"}, {-3, 2, "with the upper bound 2"}, {-3, 3, "with the upper bound 3"},
		{-3, math.NaN(), "with the upper bound NaN"}, {-3, math.Inf(1), "with the upper bound +Inf"}, {0, -1, "with the upper bound -1"}} {
		_, err := Build(t.Context(), FromSeq(func(yield func(Row) bool) {
			yield(Row{Target: c.target, Upper: c.upper, Index: []int32{0}, Value: []float64{1}})
		}),
			StoreOptions{Dir: t.TempDir(), Labels: Times})
		if !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%v, %v: %v", c.target, c.upper, err)
		}
	}
}
