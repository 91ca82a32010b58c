package bigmkl

import (
	"slices"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// These are the kinds of task survival; see Options.Survival.
const (
	SurvivalRegression = "regression"
	SurvivalRanking    = "ranking"
)

// Survivals lists them.
var Survivals = []string{SurvivalRegression, SurvivalRanking}

// rankingWing is the family of tasks whose loss is one of pairs of rows.
type rankingWing struct{ plainWing }

var _ wing = rankingWing{}

func (rankingWing) has(o *Options) bool { return model.HasPairs(o.Task) }

// defaultEventCost is the default of C of a ranking of times. A row is in about 2 log2(n) pairs, 15 to 30 of some hundred or thousand rows. So
// its pairs together cost about as much as one row of a regression of times that differ by a factor of e.
const defaultEventCost = 0.1

func (rankingWing) setDefaults(o *Options) {
	if o.C == 0 && o.Task == model.TaskSurvivalRanking {
		o.C = defaultEventCost
	}
}

func (rankingWing) check(v *validation) {
	v.check(!v.tauGiven, "a ranking estimates no quantile, so it takes no tau")
	v.check(v.Init == nil, "a ranking cannot start from another model, because its dual variables belong to pairs of rows")
	v.check(v.Gating == "", "a ranking cannot be combined with gates")
	v.check(!v.holdsWeights(), "a ranking needs solver chunking")
	v.check(v.Regularizer.Rule == "", "a ranking cannot be combined with a rule for weights, which needs classes or numbers")
}

// checkSurvival finds a kind of task survival that is none.
func (v *validation) checkSurvival() {
	v.check(v.Survival == "" || slices.Contains(Survivals, v.Survival), "unknown kind of task survival %s (%s)", fail.Quote(v.Survival),
		strings.Join(Survivals, " or "))
}
