package model

import (
	"math"
	"slices"

	"bigmkl/internal/float"
)

// mixtureWing is the family of components.
type mixtureWing struct{ plainWing }

var _ wing = mixtureWing{}

func (mixtureWing) since(*Family) int { return featuresVersion }

// responsibilitySlack is what rounding may make of a sum of responsibilities.
const responsibilitySlack = 1e-9

func (mixtureWing) check(m *Model, f *faults) {
	x := m.Family.Mixture()
	f.check(hasSettings(m.Family, x), "the settings of the mixture are damaged")
	arrays := 3
	if x.Observed != nil {
		arrays++
	}
	f.check(len(m.Family.Arrays) == arrays, "%d arrays of a mixture", len(m.Family.Arrays))
	f.check(!m.Several() && m.Norm == 2 && m.Bias == 0 && m.Folds == 0 && m.Posteriors == nil &&
		m.WeightRule == nil && m.CostWeight == nil && m.Stream == nil && m.Regularizer.IsBlockNorm() && m.Costs == nil && m.Fill == nil,
		"a mixture beside norms, folds or other problems")
	if MaximisesLikelihood(m.Task) {
		f.check(x.Entropy == "" && m.C == 1 && m.PositiveWeight == 1 && m.NegativeWeight == 1,
			"an entropy or costs in task mixture")
		f.check(len(m.Support) == m.Points, "%d support vectors of %d rows in task mixture", len(m.Support), m.Points)
	} else {
		f.check(slices.Contains(Entropies, x.Entropy), "unknown entropy %s", clip(x.Entropy))
	}
	for _, side := range x.Components {
		f.check(len(side) >= 1 && len(side) <= MostComponents, "%d components of a class", len(side))
		f.check(!slices.ContainsFunc(side, func(k int) bool { return k < 1 || k > m.Len() }),
			"a component of a kernel that is none of %d", m.Len())
	}
	f.check(float.Finite(x.Objective) && x.Change >= 0 && x.Change <= 1, "an objective of %v after changes of %v",
		x.Objective, x.Change)
	f.check(x.Rounds >= 1 && x.Start >= 1 && x.Restarts >= x.Start, "%d rounds of start %d of %d", x.Rounds,
		x.Start, x.Restarts)
	f.check(len(x.Multipliers) == x.Len(), "%d multipliers of %d components", len(x.Multipliers), x.Len())
	f.check(len(x.Weights) == x.Len()*len(m.Support), "%d weights of %d components and %d support vectors",
		len(x.Weights), x.Len(), len(m.Support))
	// The number of rows is a claim, which the array confirms.
	f.check(x.Width() > 0 && len(x.Responsibilities)/max(1, x.Width()) == m.Points &&
		len(x.Responsibilities)%max(1, x.Width()) == 0, "%d responsibilities of %d rows", len(x.Responsibilities),
		m.Points)
	f.check(x.Observed == nil || len(x.Observed) == m.Points, "components of %d rows were observed, of %d",
		len(x.Observed), m.Points)
	f.each("family.observed", x.Observed, func(o float64) bool { return o >= 0 && o <= MostComponents && o == math.Trunc(o) },
		"a number of a component")
	f.each("family.responsibilities", x.Responsibilities, func(q float64) bool {
		return q >= 0 && q <= 1+responsibilitySlack
	}, "in [0, 1]")
}
