package model

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"bigmkl/internal/fail"
)

// calibrated gives m calibration scores: those of 4 of 13 rows.
func calibrated(m *Model) *Model {
	m.Conformal = &Conformal{Share: .3, Rows: 13, Scores: []float64{-2, 0, 0, 1e300}}
	return m
}

// calibratedByClass gives m scores by class, of 9 rows in folds.
func calibratedByClass(m *Model) *Model {
	m.Conformal = &Conformal{Folds: 3, Rows: 9, ByClass: true, Scores: []float64{-1, 3, -7, 2}, Counts: []int32{2, 2}, Unbounded: []int32{0, 5}}
	return m
}

// withResiduals makes m a model of times with the residuals of three folds.
func withResiduals(m *Model) *Model {
	timed(m).Conformal = &Conformal{Folds: 3, Rows: 9, Scores: []float64{-1.5, 0.25, 3}, Shares: []float64{0.9, 0.5, 0}}
	return m
}

// TestResiduals: a model of times keeps residuals and their shares.
func TestResiduals(t *testing.T) {
	m := withResiduals(small())
	b := encoded(t, m)
	if got, err := decoded(b); err != nil || !reflect.DeepEqual(got, m) || !bytes.Contains(b, []byte("conformal_shares")) {
		t.Errorf("%v\ngot  %+v\nwant %+v", err, got, m)
	}
}

// TestConformal: a model keeps its scores, in a version of its own that older readers reject, and the bytes of other models are those without.
func TestConformal(t *testing.T) {
	none := calibratedByClass(small())
	none.Conformal.Scores, none.Conformal.Counts, none.Conformal.Unbounded = nil, []int32{0, 0}, []int32{4, 5}
	interrupted := calibrated(small())
	interrupted.Conformal.Scores = nil
	for name, m := range map[string]*Model{"split": calibrated(small()), "interrupted": interrupted, "by class": calibratedByClass(sparse(small())), "table": calibrated(tabular(small())), "none finite": none} {
		b := encoded(t, m)
		got, err := decoded(b)
		if err != nil || !reflect.DeepEqual(got, m) || !bytes.Equal(encoded(t, got), b) || !bytes.Contains(b, []byte(`"version":"8"`)) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", name, err, got, m)
		}
	}
	if b := encoded(t, small()); bytes.Contains(b, []byte("conformal")) || !bytes.Contains(b, []byte(`"version":"1"`)) {
		t.Error("a model without scores names them")
	}
	c := calibratedByClass(small()).Conformal
	var said []string
	for scores, unbounded := range c.Lists() {
		said = append(said, fmt.Sprint(scores, unbounded))
	}
	if text := strings.Join(said, ", "); c.Len() != 9 || text != "[-1 3] 0, [-7 2] 5" {
		t.Errorf("%s, %d in all", text, c.Len())
	}
}

// TestBrokenConformal has scores that no training leaves.
func TestBrokenConformal(t *testing.T) {
	const ascend, fit = "are not finite, do not ascend", "numbers of scores that do not fit"
	split := func(change func(c *Conformal)) func(*Model) {
		return func(m *Model) { change(calibrated(m).Conformal) }
	}
	residuals := func(change func(c *Conformal)) func(*Model) {
		return func(m *Model) { change(withResiduals(m).Conformal) }
	}
	byClass := func(change func(c *Conformal)) func(*Model) {
		return func(m *Model) { change(calibratedByClass(m).Conformal) }
	}
	for name, c := range map[string]struct {
		change func(m *Model)
		want   string
	}{
		"none of folds":       {byClass(func(c *Conformal) { c.Scores, c.Counts, c.Unbounded = nil, []int32{0, 0}, nil }), "0 scores of 9 rows"},
		"too few":             {split(func(c *Conformal) { c.Scores = c.Scores[1:] }), "3 scores of 4 rows"},
		"too many":            {split(func(c *Conformal) { c.Scores = append(c.Scores, 1e301) }), "5 scores of 4 rows"},
		"NaN":                 {split(func(c *Conformal) { c.Scores[1] = math.NaN() }), ascend},
		"infinite":            {split(func(c *Conformal) { c.Scores[3] = math.Inf(1) }), ascend},
		"below every number":  {split(func(c *Conformal) { c.Scores[0] = math.Inf(-1) }), ascend},
		"unsorted":            {split(func(c *Conformal) { c.Scores[3] = -1 }), ascend},
		"share above":         {split(func(c *Conformal) { c.Share = 1 }), "a share of 1"},
		"share NaN":           {split(func(c *Conformal) { c.Share = math.NaN() }), "a share of NaN"},
		"another share":       {split(func(c *Conformal) { c.Share = .4 }), "scores of 13 rows"},
		"both":                {split(func(c *Conformal) { c.Folds = 3 }), "scores of 3 folds and a share of 0.3"},
		"rows":                {split(func(c *Conformal) { c.Rows = math.MaxInt }), "scores of 9223372036854775807 rows"},
		"no rows":             {split(func(c *Conformal) { c.Rows = 0 }), "scores of 0 rows"},
		"counts":              {split(func(c *Conformal) { c.Counts = []int32{4} }), "scores of 1 classes"},
		"unbounded by class":  {split(func(c *Conformal) { c.Unbounded = []int32{0, 1} }), "without bounds of 2 classes"},
		"unbounded of none":   {split(func(c *Conformal) { c.Unbounded = []int32{0} }), "without bounds of 1 classes"},
		"unbounded below 0":   {byClass(func(c *Conformal) { c.Unbounded = []int32{6, -1} }), "without bounds of 2 classes"},
		"unbounded empty":     {split(func(c *Conformal) { c.Unbounded = []int32{} }), "without bounds of 0 classes"},
		"a class less":        {byClass(func(c *Conformal) { c.Counts = c.Counts[1:] }), "scores of 1 classes"},
		"beyond":              {byClass(func(c *Conformal) { c.Counts[0] = math.MaxInt32 }), fit},
		"below 0":             {byClass(func(c *Conformal) { c.Counts[0] = -1 }), fit},
		"left over":           {byClass(func(c *Conformal) { c.Counts[1] = 1 }), "scores of no class"},
		"unsorted by class":   {byClass(func(c *Conformal) { c.Scores[0] = 4 }), ascend},
		"more than rows":      {byClass(func(c *Conformal) { c.Unbounded[1] = 6 }), "10 scores of 9 rows"},
		"one fold":            {byClass(func(c *Conformal) { c.Folds = 1 }), "scores of 1 folds"},
		"neither":             {byClass(func(c *Conformal) { c.Folds = 0 }), "scores of 0 folds and a share of 0"},
		"all":                 {byClass(func(c *Conformal) { c.ByClass = false }), "scores of 2 classes"},
		"a distance below 0":  {func(m *Model) { calibrated(m); m.Task = TaskSVR }, "distances below 0"},
		"a median below 0":    {func(m *Model) { calibrated(m); m.Task, m.Tau = TaskQuantile, 0.5 }, "distances below 0"},
		"a task without":      {func(m *Model) { calibrated(m); m.Task = TaskOneClass }, "a task without intervals"},
		"shares of classes":   {split(func(c *Conformal) { c.Shares = []float64{.5} }), "shares of residuals in task"},
		"a share less":        {residuals(func(c *Conformal) { c.Shares = c.Shares[1:] }), "3 residuals with 2 shares"},
		"no residuals":        {residuals(func(c *Conformal) { c.Scores, c.Shares = nil, nil }), "0 residuals with 0 shares"},
		"many residuals":      {residuals(func(c *Conformal) { c.Scores, c.Shares = make([]float64, 10), make([]float64, 10) }), "10 residuals with 10 shares, of 9 rows"},
		"a share of 1":        {residuals(func(c *Conformal) { c.Shares[0] = 1 }), "do not fall within [0, 1)"},
		"a share of NaN":      {residuals(func(c *Conformal) { c.Shares[2] = math.NaN() }), "do not fall within [0, 1)"},
		"rising shares":       {residuals(func(c *Conformal) { c.Shares[1] = .95 }), "do not fall within [0, 1)"},
		"equal residuals":     {residuals(func(c *Conformal) { c.Scores[1] = c.Scores[0] }), "residuals that do not ascend"},
		"falling residuals":   {residuals(func(c *Conformal) { c.Scores[2] = -7 }), ascend},
		"residuals by class":  {residuals(func(c *Conformal) { c.ByClass, c.Counts = true, []int32{3} }), "scores of 1 classes"},
		"labels":              {func(m *Model) { calibrated(m); m.Multiclass = MultiLabel }, "a task without intervals"},
		"classes of a number": {func(m *Model) { calibratedByClass(m); m.Task = TaskSVR }, "scores of 2 classes"},
	} {
		m := small()
		c.change(m)
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, and not %s", name, err, c.want)
		}
	}
}
