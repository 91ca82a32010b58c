package bigmkl

import (
	"slices"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/model"
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
	v.check(!v.tauGiven, "a quantile with a ranking, which estimates none")
	v.check(v.Init == nil, "a start from another model with a ranking, whose dual variables belong to pairs of rows")
	v.check(v.Gating == "", "gates with a ranking")
	v.check(!v.holdsWeights(), "a ranking with weights that stay between steps: it is trained by solver chunking")
	v.check(v.Regularizer.Rule == "", "a rule for weights, which takes classes or numbers, with a ranking")
}

// checkSurvival finds a kind of task survival that is none.
func (v *validation) checkSurvival() {
	v.check(v.Survival == "" || slices.Contains(Survivals, v.Survival), "unknown kind of task survival %s (%s)", fail.Quote(v.Survival),
		strings.Join(Survivals, " or "))
}
