package main

import (
	"fmt"
	"strings"

	"bigmkl/model"
)

// provenForGates follows the gap of a model whose gates were learned: other gates have other
// optima, and nothing is proven of the best ones.
const provenForGates = "proven for these gates"

// ofGates returns what the gap of a model is a proof of where its gates were learned,
// after a blank.
func ofGates(m *model.Model) string {
	if g := m.Gates(); g == nil || !g.Learned() || m.Certificate.Kind != "gap" {
		return ""
	}
	return " " + provenForGates
}

// describeLearned describes gates that were learned in a line. on says which features they look at.
func describeLearned(g *model.Gates, on string) string {
	parts := []string{fmt.Sprintf("%s %s on %s, learned in %s and %s, stationary to %.3g",
		count(g.Number, "gate"), g.Kind, on, count(g.Steps, "step"), count(g.Trials, "trial"),
		g.Stationarity)}
	if g.Floor > 0 {
		parts = append(parts, fmt.Sprintf("closed below %g", g.Floor))
	}
	if g.Decay > 0 {
		parts = append(parts, fmt.Sprintf("squared weights count %.3g", g.Decay/2))
	}
	return strings.Join(parts, ", ")
}

// gatingJSON describes the gates of a model.
type gatingJSON struct {
	Kind    string   `json:"kind"`
	Regions int      `json:"regions,omitempty"`
	On      string   `json:"on,omitempty"`
	Spreads []number `json:"spreads,omitempty"`
	*learnedJSON
}

// learnedJSON describes gates that were learned.
type learnedJSON struct {
	Gates int `json:"gates"`
	// Proven says what the gap of the model is a proof of.
	Proven       string `json:"proven"`
	Stationarity number `json:"stationarity"`
	Steps        int    `json:"steps"`
	Trials       int    `json:"trials"`
	Floor        number `json:"floor"`
	Decay        number `json:"decay"`
	// Each describes the gates one by one, in inspect alone.
	Each []gateJSON `json:"each,omitempty"`
}

// newGatingJSON returns nil for a model without gates.
func newGatingJSON(m *model.Model) *gatingJSON {
	g := m.Gates()
	if g == nil {
		return nil
	}
	j := &gatingJSON{Kind: g.Kind, Regions: g.Regions, On: g.On, Spreads: numbers(g.Spreads)}
	if g.Learned() {
		j.learnedJSON = &learnedJSON{
			Gates: g.Number, Proven: provenForGates, Stationarity: number(g.Stationarity),
			Steps: g.Steps, Trials: g.Trials, Floor: number(g.Floor), Decay: number(g.Decay),
		}
	}
	return j
}
