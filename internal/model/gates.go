package model

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
)

// GatesFamily is the family of models whose kernels have gates (Gönen 2010, eq. 3.9):
//
//	f(x) = sum_m Theta[m] sum_s Alpha[s] eta_m(x_s) k_m(x_s, x) eta_m(x) + Bias.
//
// Every reader of this package knows it. Models without gates have no part of it in their files.
const GatesFamily = "gates"

// These are the kinds of gates.
const (
	GatesRegions = "regions"
	GatesFixed   = "fixed"
	GatesSoftmax = "softmax"
	GatesSigmoid = "sigmoid"
	GatesGauss   = "gauss"
)

// LearnedGates lists the kinds of gates that are learned.
var LearnedGates = []string{GatesSoftmax, GatesSigmoid, GatesGauss}

// Gates describe the gates of a model.
type Gates struct {
	// Kind is regions or fixed, or one of LearnedGates.
	Kind string `json:"kind"`
	// Regions is the number of regions, in each of which every kernel of the specifications is
	// there once. It is 0 for fixed gates.
	Regions int `json:"regions,omitzero"`
	// Number is the number of gates that are learned. Which of them a kernel has follows from the
	// specifications: one of its own, unless they name another.
	Number int `json:"number,omitzero"`
	// Floor is the value below which a gate that is learned is 0.
	Floor float64 `json:"floor,omitzero"`
	// Decay is the factor of |v|^2 / 2 in what was minimised, with the weights v of all gates.
	Decay float64 `json:"decay,omitzero"`
	// Stationarity is the length of the slope of what was minimised by the parameters of all gates,
	// divided by the size of the dual value. It is measured, and no bound of anything.
	Stationarity float64 `json:"stationarity,omitzero"`
	// Steps and Trials count the steps and trials of the descent to these gates, from all of its
	// starts.
	Steps  int `json:"steps,omitzero"`
	Trials int `json:"trials,omitzero"`
	// Classifiers has the gates of each of several classifiers that have learned their own. Floor
	// and what follows it are 0 then, and Parameters are the parameters of all classifiers one
	// behind the other.
	Classifiers []ClassifierGates `json:"-"`
	// On states which features the gates are functions of, as a specification does behind @, or has
	// the text of Landmarks. It is empty for all features.
	On string `json:"on,omitzero"`
	// Landmarks are the rows whose kernel values gates look at, and nil for gates on features.
	Landmarks *Landmarks `json:"-"`

	// Loadings has the directions of principal components, which are the gating features if On is
	// pca:R: R rows of all features.
	Loadings []float64 `json:"-"`
	// Mean and Deviation have a number for each gating feature, by which it is standardised.
	Mean, Deviation []float64 `json:"-"`
	// Centres has the centre of each region in standardised features, region by region, and Spreads
	// its spread s of exp(-|z - centre|^2 / s^2).
	Centres, Spreads []float64 `json:"-"`
	// Parameters has a number for each gating feature and one more of each gate that is learned: v_m
	// and v_m0 or, of gauss, mu_m and log s_m (Gönen 2010, eq. 3.2 to 3.4).
	Parameters []float64 `json:"-"`
	// Support has the fixed gates of the support vectors, with a row of all kernels for each.
	Support []float64 `json:"-"`
}

// ClassifierGates are the gates that one of several classifiers has learned. The fields are the
// fields of Gates.
type ClassifierGates struct {
	Floor, Decay, Stationarity float64
	Steps, Trials              int
	Parameters                 []float64
}

// gateNumbers is how many numbers a file has of the gates of a classifier beside their parameters:
// floor, decay, stationarity, steps and trials.
const gateNumbers = 5

// Numbers returns them in that order.
func (m *ClassifierGates) Numbers() []float64 {
	return []float64{m.Floor, m.Decay, m.Stationarity, float64(m.Steps), float64(m.Trials)}
}

// ClassifiersOfGates returns the gates of classifiers from their numbers and parameters, one
// classifier behind the other. Lengths that do not fit each other give as many classifiers as there
// are numbers of, and the parameters that are left over belong to none.
func ClassifiersOfGates(numbers, parameters []float64) []ClassifierGates {
	list := make([]ClassifierGates, len(numbers)/gateNumbers)
	for k := range list {
		x, each := numbers[k*gateNumbers:], len(parameters)/len(list)
		list[k] = ClassifierGates{
			Floor: x[0], Decay: x[1], Stationarity: x[2],
			Steps: wholeNumber(x[3]), Trials: wholeNumber(x[4]),
			Parameters: parameters[k*each : (k+1)*each : (k+1)*each],
		}
	}
	return list
}

// wholeNumber returns a count that is stored as a number, and -1 for what is none.
func wholeNumber(x float64) int {
	if x < 0 || x > 1<<53 || x != math.Trunc(x) {
		return -1
	}
	return int(x)
}

// OfClassifier returns the gates of classifier k, which are shared by all if classifiers have none
// of their own.
func (g *Gates) OfClassifier(k int) *Gates {
	if len(g.Classifiers) == 0 {
		return g
	}
	own, m := *g, &g.Classifiers[k]
	own.Classifiers, own.Floor, own.Decay, own.Stationarity = nil, m.Floor, m.Decay, m.Stationarity
	own.Steps, own.Trials, own.Parameters = m.Steps, m.Trials, m.Parameters
	return &own
}

// Sets returns the number of sets of gates: that of the classifiers if each has its own, and 1
// otherwise.
func (g *Gates) Sets() int { return max(1, len(g.Classifiers)) }

// Together returns what is said of all classifiers at once: the numbers of steps and trials of all,
// the worst stationarity, and the largest floor and decay.
func (g *Gates) Together() ClassifierGates {
	r := ClassifierGates{}
	for k := range g.Sets() {
		m := g.OfClassifier(k)
		r.Steps, r.Trials = r.Steps+m.Steps, r.Trials+m.Trials
		r.Stationarity = max(r.Stationarity, m.Stationarity)
		r.Floor, r.Decay = max(r.Floor, m.Floor), max(r.Decay, m.Decay)
	}
	return r
}

// Family returns the gates as the family of a model.
func (g *Gates) Family() *Family {
	// Nothing in the structure can fail to be encoded.
	text, _ := json.Marshal(g)
	family := &Family{Name: GatesFamily, Settings: text, Arrays: map[string][]float64{}}
	a := family.Arrays
	if g.Kind == GatesFixed {
		a["support"] = g.Support
		return family
	}
	a["mean"], a["deviation"] = g.Mean, g.Deviation
	if g.Loadings != nil {
		a["loadings"] = g.Loadings
	}
	if g.Landmarks != nil {
		maps.Copy(a, g.Landmarks.arrays())
	}
	if !g.Learned() {
		a["centres"], a["spreads"] = g.Centres, g.Spreads
		return family
	}
	a["parameters"] = g.Parameters
	if len(g.Classifiers) > 0 {
		var numbers, all []float64
		for k := range g.Classifiers {
			numbers = append(numbers, g.Classifiers[k].Numbers()...)
			all = append(all, g.Classifiers[k].Parameters...)
		}
		a["machines"], a["parameters"] = numbers, all
	}
	return family
}

// Learned reports whether the gates were learned.
func (g *Gates) Learned() bool { return slices.Contains(LearnedGates, g.Kind) }

// UsesFeatures reports whether the gates of a point follow from its features.
func (g *Gates) UsesFeatures() bool {
	return g.Kind != GatesFixed && (g.Landmarks == nil || g.Landmarks.Matrix() < 0)
}

// ofGates returns the family of the gates, which is within the family of a projection if the model
// has one. It is nil for a family without gates.
func (family *Family) ofGates() *Family {
	switch {
	case family == nil:
		return nil
	case family.Name == GatesFamily:
		return family
	case family.Name != ProjectionFamily:
		return nil
	}
	return family.Projection().ofGates(family.Arrays)
}

// Gates returns the gates of a model of the family, or nil if it has none. The arrays belong to the
// model.
func (family *Family) Gates() *Gates {
	own := family.ofGates()
	if own == nil {
		return nil
	}
	g := &Gates{}
	if err := json.Unmarshal(own.Settings, g); err != nil {
		g = &Gates{} // Validate has rejected such a file.
	}
	a := own.Arrays
	g.Mean, g.Deviation, g.Centres, g.Spreads = a["mean"], a["deviation"], a["centres"], a["spreads"]
	g.Support, g.Loadings, g.Parameters = a["support"], a["loadings"], a["parameters"]
	g.Landmarks = landmarksOf(g.On, a)
	if a["machines"] != nil {
		g.Classifiers = ClassifiersOfGates(a["machines"], g.Parameters)
	}
	return g
}

// Count returns the number of gates that a row has, in a model of so many kernels.
func (g *Gates) Count(kernels int) int {
	switch {
	case g.Kind == GatesFixed:
		return kernels
	case g.Learned():
		return max(1, g.Number)
	}
	return max(1, g.Regions)
}

// Components returns R of gates on pca:R, and 0 for gates on features.
func (g *Gates) Components() int {
	if !strings.HasPrefix(g.On, pcaPrefix) {
		return 0
	}
	return len(g.Mean)
}

// pcaPrefix begins the text of gates on principal components.
const pcaPrefix = "pca:"
