package model

import (
	"slices"

	"bigmkl/dataset"
)

// Censoring is the distribution of the times of censoring of the training rows: the share of the rows that were not censored up to
// each time of a censored row, by the estimate of Kaplan and Meier (1958). Weights of predictions' pairs follow from it. Both lists
// are nil if no row was censored.
type Censoring struct {
	// Times ascend and are above 0.
	Times []float64
	// Shares descend, are below 1 and at least 0.
	Shares []float64
	// Intervals is true if training rows had upper bounds of times. Both lists are then nil: the times of events are not known, and the
	// estimate needs them.
	Intervals bool
}

// check checks the steps of the distribution of a model of a task.
func (c *Censoring) check(task string, f *faults) {
	f.check(len(c.Times) == len(c.Shares) && (c.Times == nil) == (c.Shares == nil) && (c.Times == nil || len(c.Times) > 0 && Labeling(task) == dataset.Times),
		"%d times of censoring with %d shares in task %s", len(c.Times), len(c.Shares), clip(task))
	f.check(!c.Intervals || Labeling(task) == dataset.Times && c.Times == nil, "upper bounds of times beside %d times of censoring in task %s", len(c.Times), clip(task))
	f.check(!slices.ContainsFunc(c.Times, func(t float64) bool { return !above0(t) }), "times of censoring that are not above 0")
	f.check(!slices.ContainsFunc(c.Shares, func(x float64) bool { return !(x >= 0 && x < 1) }), "shares of rows that were not censored outside of [0, 1)")
	for k := 1; k < min(len(c.Times), len(c.Shares)); k++ {
		if !(c.Times[k] > c.Times[k-1] && c.Shares[k] < c.Shares[k-1]) {
			f.check(false, "times of censoring that do not ascend, or shares that do not descend")
			return
		}
	}
}

// censoringSection is the distribution of the times of censoring.
type censoringSection struct{ plainSection }

var _ section = censoringSection{}

func (censoringSection) tensors(m *Model) []field {
	return []field{{name: "censoring_times", f64: &m.Censoring.Times}, {name: "censoring_shares", f64: &m.Censoring.Shares}}
}

func (censoringSection) check(m *Model, f *faults) { m.Censoring.check(m.Task, f) }
