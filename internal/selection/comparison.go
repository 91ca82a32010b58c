package selection

import (
	"math"

	"bigmkl/internal/evaluate"
)

// Comparison compares the best cell with the best of a baseline, fold by fold.
type Comparison struct {
	Kind Kind `json:"kind"`
	Cell int  `json:"cell"` // the number of the cell of the baseline
	// Difference is by how much the best cell is better, in the direction of the measure. Its error is at least that
	// of the rows that differ, where the measure counts rows; see resample.
	Difference Figure `json:"difference"`
	// P is the two-sided p-value of the corrected resampled t test, nil where it is not defined.
	P *float64 `json:"p,omitempty"`
	// Practical is the result of the correlated Bayesian t test, nil where it is not defined.
	Practical *Practical `json:"practical,omitempty"`
	// FiveByTwo is the p-value of the combined 5x2cv F test, nil without 5 repetitions of 2 folds.
	FiveByTwo *float64 `json:"five_by_two,omitempty"`
}

// Practical holds the probabilities that the best cell is better than the other by more than Rope,
// equivalent to it, or worse by more than Rope. The three probabilities sum to 1.
type Practical struct {
	Rope       float64 `json:"rope"`
	Better     float64 `json:"better"`
	Equivalent float64 `json:"equivalent"`
	Worse      float64 `json:"worse"`
	Verdict    Verdict `json:"verdict"`
}

// Verdict is a comparison in a word.
type Verdict string

// These are the verdicts. Those other than Undecided have a probability above 0.95.
const (
	Better     Verdict = "better"
	Equivalent Verdict = "equivalent"
	Worse      Verdict = "worse"
	Undecided  Verdict = "undecided"
)

// decided is the probability above which a verdict is given.
const decided = 0.95

// shown is the p-value below which the data show a difference. It is the usual level of a test.
const shown = 0.05

// ShowsDifference reports whether the data show a difference: its p-value is below 0.05.
func (c *Comparison) ShowsDifference() bool { return c.P != nil && *c.P < shown }

// Rival returns the comparison with the best combination of another kind, nil if there is none.
func (s *Selection) Rival() *Comparison {
	var best *Comparison
	for k := range s.Baselines {
		if b := &s.Baselines[k]; best == nil || s.better(s.Cells[b.Cell].Figures[s.Measure].Mean, s.Cells[best.Cell].Figures[s.Measure].Mean) {
			best = b
		}
	}
	return best
}

// scaled lists the measures that have the unit of the target. A region of practical equivalence is
// a share of them. A fixed region would be negligible for prices and decisive for shares.
var scaled = map[string]bool{"rmse": true, "mae": true, "pinball": true, "expectile_loss": true}

// compare compares the best cell with another.
func (s *Selection) compare(kind Kind, other int, o *Options) Comparison {
	c := Comparison{Kind: kind, Cell: other}
	best := &s.Cells[s.Best]
	differences := make([]float64, len(s.Folds))
	for i, x := range best.Values {
		differences[i] = x - s.Cells[other].Values[i]
		if s.Smaller {
			differences[i] = 0 - differences[i]
		}
	}
	found := s.resample(differences, nil)
	c.Difference = Figure{Mean: found.Mean, Error: found.Error, Folds: found.Count}
	if p := found.P(); !math.IsNaN(p) {
		// Figures that are equal in too few folds have no p-value, and no verdict either.
		c.P = &p
		c.Practical = practicalOf(found, s.ropeOf(best, o.Rope))
	}
	if o.Splits.Folds == 2 && o.Splits.Repeat == 5 {
		if p := evaluate.FiveByTwo([10]float64(differences)); !math.IsNaN(p) {
			c.FiveByTwo = &p
		}
	}
	return c
}

// ropeOf returns the region of practical equivalence in the unit of the measure.
func (s *Selection) ropeOf(best *Cell, rope float64) float64 {
	if scaled[s.Measure] {
		return rope * best.Figures[s.Measure].Mean
	}
	return rope
}

// practicalOf weighs a difference.
func practicalOf(r evaluate.Resampled, rope float64) *Practical {
	p := &Practical{Rope: rope, Verdict: Undecided}
	p.Worse, p.Equivalent, p.Better = r.Practical(rope)
	for verdict, probability := range map[Verdict]float64{Better: p.Better, Equivalent: p.Equivalent, Worse: p.Worse} {
		if probability > decided {
			p.Verdict = verdict
		}
	}
	return p
}
