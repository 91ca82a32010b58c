package model

import (
	"errors"
	"iter"
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/dataset/holdout"
	"bigmkl/internal/float"
)

// Conformal is the calibration scores of a model, from which intervals and sets of a coverage are made; see package conformal.
type Conformal struct {
	// Folds is the number of folds by which rows of the training were held out, and Share the share of the rows that had no part
	// in the training. One of them is 0.
	Folds int     `json:"folds,omitzero"`
	Share float64 `json:"share,omitzero"`
	// Rows is the number of rows, those without a part in the training among them.
	Rows int `json:"rows"`
	// ByClass means that each class has scores of its own.
	ByClass bool `json:"by_class,omitzero"`
	// Unbounded is the number of rows whose nonconformity is above every number, for all rows, or for each class if ByClass; nil
	// without any. The training that predicted such a row knew no row of its class.
	Unbounded []int32 `json:"unbounded,omitzero"`
	// Scores holds the nonconformity of the other held-out rows, finite and ascending, class by class if ByClass.
	Scores []float64 `json:"-"`
	// Shares are of models of times, whose Scores are the residuals log t - f at which held-out rows had events, each once. They have
	// the share of these rows whose residual is above each, as estimated by Kaplan and Meier (1958).
	Shares []float64 `json:"-"`
	// Counts has the number of Scores of each class if ByClass, else it is nil.
	Counts []int32 `json:"-"`
}

// Len returns the number of rows that were held out, and have a score. It is 0 where an interrupt came before the rows were predicted.
func (c *Conformal) Len() int {
	n := len(c.Scores)
	for _, more := range c.Unbounded {
		n += int(more)
	}
	return n
}

// Lists yields the scores of each class if ByClass, and otherwise all of them, with the number of those that are above every number.
func (c *Conformal) Lists() iter.Seq2[[]float64, int] {
	return func(yield func([]float64, int) bool) {
		lists := 1
		if c.ByClass {
			lists = len(c.Counts)
		}
		left := c.Scores
		for k := range lists {
			n, unbounded := len(left), 0
			if c.ByClass {
				n = int(c.Counts[k])
			}
			if c.Unbounded != nil {
				unbounded = int(c.Unbounded[k])
			}
			if !yield(left[:n], unbounded) {
				return
			}
			left = left[n:]
		}
	}
}

// Split reports whether rows were held out of the training, so they are not among its points.
func (c *Conformal) Split() bool { return c != nil && c.Share > 0 }

// ClassNames lists the classes that a model distinguishes: of two the negative one first. It is nil for regression and
// for sets of labels.
func (m *Model) ClassNames() []string {
	switch {
	case !m.HasClasses() || m.Multiclass == MultiLabel:
		return nil
	case m.Several() || m.Classes != nil:
		return m.Classes
	}
	return []string{m.Negative, m.Positive}
}

// conformalSection is the calibration scores.
type conformalSection struct {
	read Conformal // has the arrays.
}

var _ section = (*conformalSection)(nil)

func (p *conformalSection) since(m *Model) int { return sinceIf(m.Conformal != nil, conformalVersion) }

func (p *conformalSection) tensors(m *Model) []field {
	if m.Conformal != nil {
		p.read = *m.Conformal
	}
	return []field{{name: "conformal_scores", f64: &p.read.Scores}, {name: "conformal_shares", f64: &p.read.Shares}, {name: "conformal_counts", i32: &p.read.Counts}}
}

func (p *conformalSection) join(m *Model, _ *header) error {
	if m.Conformal != nil {
		m.Conformal.Scores, m.Conformal.Shares, m.Conformal.Counts = p.read.Scores, p.read.Shares, p.read.Counts
	} else if p.read.Scores != nil || p.read.Shares != nil || p.read.Counts != nil {
		return errors.New("calibration scores that the settings do not name")
	}
	return nil
}

// distances reports whether the scores of a model are distances: of regression except for quantiles, whose score is below 0
// where the target is on the side of the quantile, or between the outermost quantiles.
func (m *Model) distances() bool {
	return !m.HasClasses() && m.Taus == nil && (m.Tau == 0 || m.Tau == 0.5)
}

func (p *conformalSection) check(m *Model, f *faults) {
	c := m.Conformal
	if c == nil {
		return
	}
	f.check(!DescribesSupport(m.Task) && m.Multiclass != MultiLabel && m.Discriminant == nil, "scores of a task without intervals or sets")
	f.check((c.Folds == 0) != (c.Share == 0) && (c.Folds == 0 || c.Folds >= 2 && c.Folds <= math.MaxInt32) && c.Share >= 0 && c.Share < 1,
		"scores of %d folds and a share of %v", c.Folds, c.Share)
	held := c.Rows
	if c.Split() {
		held = holdout.Count(c.Rows, c.Share)
	}
	f.check(c.Rows > 0 && c.Rows <= math.MaxInt32 && (c.Split() && c.Rows-held == m.Points || !c.Split() && c.Rows == m.Points), "scores of %d rows", c.Rows)
	classes := 1
	if c.ByClass {
		classes = len(m.ClassNames())
	}
	f.check(c.ByClass == (c.Counts != nil) && (!c.ByClass || len(c.Counts) == classes), "scores of %d classes", len(c.Counts))
	f.check(c.Unbounded == nil || len(c.Unbounded) == classes && slices.Max(c.Unbounded) > 0 && slices.Min(c.Unbounded) >= 0, "scores without bounds of %d classes", len(c.Unbounded))
	// Rows of a class that the model lacks have no place among scores by class. An interrupt leaves none.
	times := Labeling(m.Task) == dataset.Times
	c.checkShares(m, held, f)
	f.check(times || c.Len() == held || c.ByClass && c.Len() > 0 && c.Len() < held || c.Split() && c.Len() == 0, "%d scores of %d rows that were held out", c.Len(), held)
	left := c.Scores
	for _, n := range append(slices.Clone(c.Counts), 0) {
		if n < 0 || int(n) > len(left) {
			f.check(false, "numbers of scores that do not fit")
			return
		}
		if !c.ByClass {
			n = int32(len(left))
		}
		for i, x := range left[:n] {
			if !float.Finite(x) || i > 0 && x < left[i-1] || x < 0 && m.distances() && !times {
				f.check(false, "scores that are not finite, do not ascend, or are distances below 0")
				return
			}
		}
		left = left[n:]
	}
	f.check(len(left) == 0, "scores of no class")
}

// checkShares checks the shares of a model of times, of which so many rows were held out: they belong to residuals that differ, and fall.
func (c *Conformal) checkShares(m *Model, held int, f *faults) {
	if Labeling(m.Task) != dataset.Times {
		f.check(c.Shares == nil, "shares of residuals in task %s", clip(m.Task))
		return
	}
	f.check(len(c.Shares) == len(c.Scores) && len(c.Scores) <= held && (len(c.Scores) > 0 || c.Split()) && c.Unbounded == nil && !c.ByClass && !m.Censoring.Intervals,
		"%d residuals with %d shares, of %d rows that were held out", len(c.Scores), len(c.Shares), held)
	for k, x := range c.Shares {
		if !(x >= 0 && x < 1) || k > 0 && k < len(c.Scores) && !(x < c.Shares[k-1] && c.Scores[k] > c.Scores[k-1]) {
			f.check(false, "shares of residuals that do not fall within [0, 1), or residuals that do not ascend")
			return
		}
	}
}
