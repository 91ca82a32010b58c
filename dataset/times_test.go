package dataset

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

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
		target  float64
		message string
	}{{math.NaN(), "no time"}, {0, "the time is 0"}, {math.Inf(-1), "the time is -Inf"}} {
		_, err := Build(t.Context(), FromSeq(func(yield func(Row) bool) { yield(Row{Target: c.target, Index: []int32{0}, Value: []float64{1}}) }),
			StoreOptions{Dir: t.TempDir(), Labels: Times})
		if !errors.Is(err, fail.Input) || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%v: %v", c.target, err)
		}
	}
}
