package model

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

// uncertain makes m a model of rows with posteriors.
func uncertain(m *Model) *Model {
	m.Posteriors, m.PosteriorsOf = slices.Repeat([]float64{0.25, 1, 0.75}, m.Points)[:m.Points], "knn:4@1-2"
	return m
}

// TestPosteriors: a model keeps the posteriors of its rows, in a version of its own, and the bytes of other models are
// those without.
func TestPosteriors(t *testing.T) {
	for name, m := range map[string]*Model{"one": uncertain(small()), "sparse": uncertain(sparse(small())), "table": uncertain(tabular(small()))} {
		b := encoded(t, m)
		got, err := decoded(b)
		if err != nil || !reflect.DeepEqual(got, m) || !bytes.Equal(encoded(t, got), b) || !bytes.Contains(b, []byte(`"version":"5"`)) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", name, err, got, m)
		}
	}
	if b := encoded(t, small()); bytes.Contains(b, []byte("posteriors")) || !bytes.Contains(b, []byte(`"version":"1"`)) {
		t.Error("a model of certain labels names posteriors")
	}
}

// TestBrokenPosteriors has posteriors that no training leaves.
func TestBrokenPosteriors(t *testing.T) {
	for want, change := range map[string]func(m *Model){
		"posteriors[1] is 1.5":       func(m *Model) { m.Posteriors[1] = 1.5 },
		"posteriors[0] is NaN":       func(m *Model) { m.Posteriors[0] = math.NaN() },
		"posteriors of":              func(m *Model) { m.Posteriors = m.Posteriors[1:] },
		"is no source of posteriors": func(m *Model) { m.PosteriorsOf = "" },
		"posteriors of a class in":   func(m *Model) { m.Task = TaskSVR },
		"is left out by its":         func(m *Model) { m.Posteriors[m.Support[0]] = 0.5005 },
		"0 posteriors of":            func(m *Model) { m.Posteriors = nil },
	} {
		m := uncertain(small())
		change(m)
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %s", err, want)
		}
	}
}

// TestSoftLabel: a row is left out within 0.001 of 1/2.
func TestSoftLabel(t *testing.T) {
	for p, want := range map[float64]float64{0: -1, 1: 1, 0.25: -0.5, 0.5: 0, 0.5009: 0, 0.4991: 0, 0.75: 0.5} {
		if got := SoftLabel(p); got != want {
			t.Errorf("the soft label of %v is %v, not %v", p, got, want)
		}
	}
	if SoftLabel(0.5011) == 0 || SoftLabel(0.4989) == 0 || LeftOut([]float64{0.5, 0.4, 0.50001}) != 2 {
		t.Error("rows are left out too far from 1/2, or not counted")
	}
}
