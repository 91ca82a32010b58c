package selection

import (
	"fmt"

	"bigmkl"
)

// Choice is the rule by which a cell is chosen.
type Choice string

// These are the choices.
const (
	ChooseBest     Choice = "best"     // the best mean
	ChooseSimplest Choice = "simplest" // the simplest that is not shown to be worse than the best
)

// Choices lists them.
var Choices = []string{string(ChooseBest), string(ChooseSimplest)}

// rank orders arms by simplicity: one kernel, one view, the plain sum, p = 1, and others. A
// reader needs less to describe a simpler model, and prediction computes fewer kernels.
func (a *Arm) rank() int {
	switch {
	case a.Kind == Single || a.one:
		return 0
	case a.Kind == View:
		return 1
	case a.Norm == plainSum && a.chargesNothing():
		return 2
	case a.Norm == sparseSum && a.chargesNothing():
		return 3
	}
	return 4
}

// kindOf is the kind of an arm in comparisons, by its rank: an arm of the grid that is the plain
// sum is Sum.
func (a *Arm) kindOf() Kind { return []Kind{Single, View, Sum, Sparse, Grid}[a.rank()] }

// prefers reports whether cell a with mean x is chosen before cell b with mean y, which comes
// first in the list. Means are compared in the four digits that users see, so a choice never
// depends on digits that the table does not show. Equal means leave the choice to the simpler
// arm.
func (s *Selection) prefers(a, b int, x, y float64) bool {
	if fmt.Sprintf("%.4f", x) != fmt.Sprintf("%.4f", y) {
		return s.better(x, y)
	}
	return s.Arms[s.Cells[a].Arm].rank() < s.Arms[s.Cells[b].Arm].rank()
}

// bestOf returns the number of the best cell of some arms, and -1 if there is none. Cells in which
// the figure is not defined for every fold have no part. A mean over other folds could be better by the
// choice of the folds alone.
func (s *Selection) bestOf(is func(*Arm) bool) int {
	best := -1
	for k := range s.Cells {
		c := &s.Cells[k]
		if is(&s.Arms[c.Arm]) && len(c.Values) == len(s.Folds) &&
			(best < 0 || s.prefers(k, best, c.Figures[s.Measure].Mean, s.Cells[best].Figures[s.Measure].Mean)) {
			best = k
		}
	}
	return best
}

// choose finds the best cell, what it is compared with, the simplest cell that is not shown to be worse,
// and the one that is trained on all rows.
func (s *Selection) choose(o *Options) {
	competes := func(a *Arm) bool { return true }
	if o.Tune != "" { // A tuning has all kernels of a list.
		competes = func(a *Arm) bool { return a.Kind == Grid }
	}
	if s.Best = s.bestOf(competes); s.Best < 0 {
		return
	}
	// Each kind of simpler combination is a baseline with its own best cost. A baseline at the
	// cost of the best cell would be handicapped.
	for _, kind := range []Kind{Sum, Sparse, Grid, View, Single} {
		if k := s.bestOf(func(a *Arm) bool { return a.kindOf() == kind }); k >= 0 && k != s.Best {
			s.Baselines = append(s.Baselines, s.compare(kind, k, o))
		}
	}
	s.Simplest = s.Best
	for arm := range s.Arms {
		k := s.bestOf(func(a *Arm) bool { return a == &s.Arms[arm] })
		if k < 0 || !competes(&s.Arms[arm]) {
			continue
		}
		// The candidate must be simpler than the simplest so far, or as simple and better. Then
		// the test decides: not shown to be worse.
		now, then := s.Arms[arm].rank(), s.Arms[s.Cells[s.Simplest].Arm].rank()
		if now > then || now == then && !s.better(s.Cells[k].Figures[s.Measure].Mean, s.Cells[s.Simplest].Figures[s.Measure].Mean) {
			continue
		}
		if c := s.compare(s.Arms[arm].kindOf(), k, o); !c.ShowsDifference() || c.Difference.Mean < 0 {
			s.Simplest = k
		}
	}
	if s.Simplest != s.Best {
		c := s.compare(s.Arms[s.Cells[s.Simplest].Arm].kindOf(), s.Simplest, o)
		s.Simpler = &c
	}
	if s.Chosen = s.Best; o.Choose == ChooseSimplest {
		s.Chosen = s.Simplest
	}
}

// Apply enters the cell that was chosen, and what a tuning has found for it, in the options of a
// training. A caller trains on all rows with these options, as the command select does for best.model.
func (s *Selection) Apply(o *bigmkl.Options) {
	cell := &s.Cells[s.Chosen]
	arm := &s.Arms[cell.Arm]
	o.Norm, o.C, o.Kernels = float64(arm.Norm), cell.Cost, arm.Kernels
	// Probabilities come from rows that are held out as in the selection. Otherwise the training has seen the same
	// patients, for example, and the probabilities are too certain for new ones.
	o.FoldGroups = s.groups
	if g := arm.CostPower; g != nil && *g == 0 {
		o.CostPower = bigmkl.Zero
	} else if g != nil {
		o.CostPower = *g
	}
	if t := s.Tuning; t != nil {
		o.Kernels = t.Kernels
		if t.Weights != nil {
			o.Norm, o.Regularizer.Weights = 0, t.Weights
		}
	}
}

// chargesNothing reports whether costs of kernels, if there are any, do not enter the norm beyond the options
// of the training.
func (a *Arm) chargesNothing() bool { return a.CostPower == nil || *a.CostPower == 0 }
