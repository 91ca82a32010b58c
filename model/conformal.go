package model

import (
	"math"
	"slices"
)

// Conformal is the calibration scores of a model, from which intervals and sets of a coverage are made; see package conformal.
type Conformal struct {
	// Folds is the number of folds by which rows of the training were held out, and Share the share of the rows that had no part
	// in the training. One of them is 0.
	Folds int     `json:"folds,omitzero"`
	Share float64 `json:"share,omitzero"`
	// Rows is the number of rows, those without a part in the training among them.
	Rows int `json:"rows"`
	// ByClass says that each class has scores of its own.
	ByClass bool `json:"by_class,omitzero"`
	// Scores holds the nonconformity of the held-out rows, ascending, class by class if ByClass. It may end in infinity.
	Scores []float64 `json:"-"`
	// Counts has the number of scores of each class if ByClass, else it is nil.
	Counts []int32 `json:"-"`
}

// Split reports whether rows were held out of the training, so that they are not among its points.
func (c *Conformal) Split() bool { return c != nil && c.Share > 0 }

// ClassNames lists the classes that a model tells apart: of two the negative one first. It is nil for regression and for
// sets of labels.
func (m *Model) ClassNames() []string {
	switch {
	case !m.HasClasses() || m.Multiclass == MultiLabel:
		return nil
	case m.Several() || m.Classes != nil:
		return m.Classes
	}
	return []string{m.Negative, m.Positive}
}

// checkConformal checks the scores.
func checkConformal(m *Model, f *faults) {
	c := m.Conformal
	if c == nil {
		return
	}
	f.check(m.Task != TaskOneClass && m.Multiclass != MultiLabel && m.Discriminant == nil, "scores of a task without intervals or sets")
	f.check((c.Folds == 0) != (c.Share == 0) && (c.Folds == 0 || c.Folds >= 2 && c.Folds <= math.MaxInt32) && c.Share >= 0 && c.Share < 1,
		"scores of %d folds and a share of %v", c.Folds, c.Share)
	f.check(c.Rows > 0 && c.Rows <= math.MaxInt32 && len(c.Scores) <= c.Rows && (c.Split() && c.Rows > m.Points || !c.Split() && c.Rows == m.Points), "scores of %d rows", c.Rows)
	f.check(len(c.Scores) > 0 && !slices.ContainsFunc(c.Scores, math.IsNaN), "%d scores, or one that is no number", len(c.Scores))
	f.check(m.HasClasses() || len(c.Scores) == 0 || c.Scores[0] >= 0, "a distance below 0")
	f.check(c.ByClass == (c.Counts != nil) && (!c.ByClass || len(c.Counts) == len(m.ClassNames())), "scores of %d classes", len(c.Counts))
	left := c.Scores
	for _, n := range c.Counts {
		if n < 0 || int(n) > len(left) {
			f.check(false, "numbers of scores that do not fit")
			return
		}
		f.check(slices.IsSorted(left[:n]), "scores that do not ascend")
		left = left[n:]
	}
	f.check(c.ByClass && len(left) == 0 || !c.ByClass && slices.IsSorted(left), "scores that do not ascend, or belong to no class")
}
