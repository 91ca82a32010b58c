package command

import (
	"fmt"
	"strings"

	"bigmkl/internal/model"
)

// provenForGates follows the gap of a model whose gates were learned: other gates have other
// optima, and nothing is proven of the best ones.
// JSON has the same words, so a program can distinguish the claims.
const provenForGates = "proven for these gates"

// ofGates returns the restriction of the claim that the gap proves, after a blank: an optimum for the
// learned gates or projection, not over all of them. It returns "" for other models.
// A stationary certificate proves nothing that could be restricted.
func ofGates(m *model.Model) string {
	c, _ := m.Convergence().Worst()
	if m.Family.Projection() != nil && c.Kind == "gap" {
		return " " + provenOfProjection(m)
	}
	if m.Family.Gates() == nil || !m.Family.Gates().Learned() || c.Kind != "gap" {
		return ""
	}
	return " " + provenForGates
}

// describeLearned describes gates that were learned in a line. on names the features that they
// look at. Stationarity is the only measure of how well the gates themselves are trained, because their
// problem is not convex.
func describeLearned(g *model.Gates, on string) string {
	// Together sums steps and trials over the classifiers, and takes the worst stationarity.
	all, each := g.Together(), ""
	if len(g.Classifiers) > 0 {
		each = " for each classifier"
	}
	parts := []string{fmt.Sprintf("%s %s on %s%s, learned in %s and %s, stationary to %.3g",
		count(g.Number, "gate"), g.Kind, on, each, count(all.Steps, "step"), count(all.Trials, "trial"),
		all.Stationarity)}
	// A gate below the floor counts as 0.
	if all.Floor > 0 {
		parts = append(parts, fmt.Sprintf("closed below %g", all.Floor))
	}
	// The objective has decay/2 times the sum of the squared weights of the gates.
	if all.Decay > 0 {
		parts = append(parts, fmt.Sprintf("squared weights count %.3g", all.Decay/2))
	}
	return strings.Join(parts, ", ")
}

// gatingJSON describes the gates of a model.
type gatingJSON struct {
	// Spreads has the scale of each region. Regions and Spreads are absent for other kinds.
	Kind    string   `json:"kind"`
	Regions int      `json:"regions,omitempty"`
	On      string   `json:"on,omitempty"`
	Spreads []number `json:"spreads,omitempty"`
	*learnedJSON
}

// learnedJSON describes gates that were learned.
type learnedJSON struct {
	// Gates is the number of different gates of a classifier.
	Gates int `json:"gates"`
	// Proven names the claim that the gap of the model proves.
	Proven       string `json:"proven"`
	Stationarity number `json:"stationarity"`
	Steps        int    `json:"steps"`
	Trials       int    `json:"trials"`
	Floor        number `json:"floor"`
	Decay        number `json:"decay"`
	// Classifiers has the same facts about each of several classifiers that have learned their own
	// gates. All together have the sum of steps and trials, and the largest of the other numbers.
	Classifiers []classifierGatesJSON `json:"machines,omitempty"`
	// Each describes the gates one by one, in inspect alone.
	Each []gateJSON `json:"each,omitempty"`
}

// classifierGatesJSON describes the gates that one of several classifiers has learned.
type classifierGatesJSON struct {
	Classifier   string `json:"machine"`
	Stationarity number `json:"stationarity"`
	Steps        int    `json:"steps"`
	Trials       int    `json:"trials"`
	Floor        number `json:"floor"`
	Decay        number `json:"decay"`
}

// newGatingJSON returns nil for a model without gates.
func newGatingJSON(m *model.Model) *gatingJSON {
	g := m.Family.Gates()
	if g == nil {
		return nil
	}
	j := &gatingJSON{Kind: g.Kind, Regions: g.Regions, On: g.On, Spreads: numbers(g.Spreads)}
	if all := g.Together(); g.Learned() {
		j.learnedJSON = &learnedJSON{
			Gates: g.Number, Proven: provenForGates, Stationarity: number(all.Stationarity),
			Steps: all.Steps, Trials: all.Trials, Floor: number(all.Floor), Decay: number(all.Decay),
		}
		for k := range g.Classifiers {
			own := &g.Classifiers[k]
			j.learnedJSON.Classifiers = append(j.learnedJSON.Classifiers, classifierGatesJSON{
				Classifier: m.ShortName(k), Stationarity: number(own.Stationarity), Steps: own.Steps,
				Trials: own.Trials, Floor: number(own.Floor), Decay: number(own.Decay),
			})
		}
	}
	return j
}
