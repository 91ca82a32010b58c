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

func (rankingWing) check(v *validation) {
	v.check(!v.tauGiven, "a ranking estimates no quantile, so it takes no tau")
	v.check(!v.epsilonGiven, "a ranking has no tube, so it takes no epsilon")
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
