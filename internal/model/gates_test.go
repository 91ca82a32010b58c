package model

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"bigmkl/internal/fail"
)

// TestGatesAreChecked: gates that do not fit the model are rejected, whatever a short text claims.
func TestGatesAreChecked(t *testing.T) {
	good := func() *Model {
		m := &Model{
			Task: TaskClass, Norm: 2, C: 1, Gap: 1e-3, Precision: "auto", Positive: "1", Negative: "-1", PositiveWeight: 1, NegativeWeight: 1,
			Points: 2, Store: "dense", Kernels: []string{"linear"}, Theta: []float64{1, 1}, WNorms: []float64{1, 1},
			SupportVectors: SupportVectors{Features: 3, Support: []int32{0, 1}, Vectors: make([]float32, 6)}, Alpha: []float64{1, -1}, Certificate: Certificate{Kind: "gap"},
		}
		m.Scaling.Kind, m.Normalization.Kind = "none", "none"
		m.Family = (&Gates{Kind: GatesRegions, Regions: 2, On: "1+3", Mean: []float64{0, 0}, Deviation: []float64{1, 1}, Centres: make([]float64, 4), Spreads: []float64{1, 1}}).Family()
		return m
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(m *Model, g *Gates){
		"no regions":            func(m *Model, g *Gates) { g.Regions = 0 },
		"three regions":         func(m *Model, g *Gates) { g.Regions = 3 },
		"negative regions":      func(m *Model, g *Gates) { g.Regions = -2 },
		"too many regions":      func(m *Model, g *Gates) { g.Regions = math.MaxInt },
		"another kind":          func(m *Model, g *Gates) { g.Kind = "softmax" },
		"a mean too few":        func(m *Model, g *Gates) { g.Mean = g.Mean[:1] },
		"no deviation":          func(m *Model, g *Gates) { g.Deviation[1] = 0 },
		"no spread":             func(m *Model, g *Gates) { g.Spreads[0] = 0 },
		"a centre too many":     func(m *Model, g *Gates) { g.Centres = make([]float64, 5) },
		"unknown features":      func(m *Model, g *Gates) { g.On = "1+4" },
		"features of a claim":   func(m *Model, g *Gates) { g.On, m.Features = "1-2147483647", math.MaxInt32 },
		"components of a claim": func(m *Model, g *Gates) { g.On = "pca:2" },
		"loadings of features":  func(m *Model, g *Gates) { g.Loadings = make([]float64, 6) },
		"an unknown field": func(m *Model, g *Gates) {
			m.Family.Settings = json.RawMessage(`{"kind":"regions","regions":2,"on":"1+3","floor":0.1}`)
		},
		"fixed gates of regions": func(m *Model, g *Gates) { *g = Gates{Kind: GatesFixed, Regions: 2, Support: make([]float64, 4)} },
		"a gate below 0":         func(m *Model, g *Gates) { *g = Gates{Kind: GatesFixed, Support: []float64{1, 1, -1, 1}} },
		"a gate too few":         func(m *Model, g *Gates) { *g = Gates{Kind: GatesFixed, Support: []float64{1, 1, 1}} },
	} {
		m := good()
		g := m.Family.Gates()
		before := string(m.Family.Settings)
		if spoil(m, g); string(m.Family.Settings) == before {
			m.Family = g.Family()
		}
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestGatesOfClassifiersAreChecked: gates of classifiers that do not fit each other are rejected, and what fits is read as it was
// written.
func TestGatesOfClassifiersAreChecked(t *testing.T) {
	good := func() *Model {
		m := &Model{
			Task: TaskClass, Norm: 2, C: 1, Gap: 1e-3, Precision: "auto", Decomposition: Decomposition{Multiclass: MultiLabel, Classes: []string{"a", "b"}},
			PositiveWeight: 1, NegativeWeight: 1, Points: 2, Store: "dense", Kernels: []string{"linear"},
			SupportVectors: SupportVectors{Features: 2, Support: []int32{0, 1}, Vectors: make([]float32, 4)},
		}
		for k := range m.Classes {
			m.Classifiers = append(m.Classifiers, Classifier{
				Positive: int32(k), Negative: Rest, Theta: []float64{1}, WNorms: []float64{1}, Support: []int32{0, 1}, Alpha: []float64{1, -1},
				Certificate: Certificate{Kind: "gap"},
			})
		}
		m.Scaling.Kind, m.Normalization.Kind = "none", "none"
		m.Family = (&Gates{Kind: GatesSoftmax, Number: 1, Mean: []float64{0, 0}, Deviation: []float64{1, 1}, Classifiers: []ClassifierGates{
			{Stationarity: 0.1, Steps: 2, Trials: 3, Parameters: []float64{1, 2, 3}}, {Floor: 0.5, Decay: 1, Parameters: []float64{4, 5, 6}},
		}}).Family()
		return m
	}
	m := good()
	if err := m.Validate(); err != nil || newSections(nil).since(m) != featuresVersion {
		t.Fatalf("version %d, %v", newSections(nil).since(m), err)
	}
	second := m.Classifier(1)
	if g := second.Family.Gates(); g.Floor != 0.5 || g.Decay != 1 || !slices.Equal(g.Parameters, []float64{4, 5, 6}) || len(g.Classifiers) != 0 {
		t.Errorf("the gates of the second classifier are %+v", g)
	}
	if all := m.Family.Gates().Together(); all.Stationarity != 0.1 || all.Steps != 2 || all.Trials != 3 || all.Floor != 0.5 || all.Decay != 1 {
		t.Errorf("all gates together are %+v", all)
	}
	for name, spoil := range map[string]func(g *Gates, arrays map[string][]float64){
		"gates of one":           func(g *Gates, _ map[string][]float64) { g.Classifiers = g.Classifiers[:1] },
		"gates of three":         func(g *Gates, _ map[string][]float64) { g.Classifiers = append(g.Classifiers, g.Classifiers[0]) },
		"a parameter too few":    func(g *Gates, _ map[string][]float64) { g.Classifiers[1].Parameters = []float64{4, 5} },
		"a floor of 1":           func(g *Gates, _ map[string][]float64) { g.Classifiers[0].Floor = 1 },
		"a floor of all":         func(g *Gates, _ map[string][]float64) { g.Floor = 0.1 },
		"more steps than trials": func(g *Gates, _ map[string][]float64) { g.Classifiers[0].Steps = 4 },
		"a decay below 0":        func(g *Gates, _ map[string][]float64) { g.Classifiers[1].Decay = -1 },
		"half a step":            func(_ *Gates, a map[string][]float64) { a["machines"][3] = 0.5 },
		"a step without end":     func(_ *Gates, a map[string][]float64) { a["machines"][4] = 1e300 },
		"a number too few":       func(_ *Gates, a map[string][]float64) { a["machines"] = a["machines"][:9] },
		"no numbers":             func(_ *Gates, a map[string][]float64) { a["machines"] = []float64{} },
		"no classifiers":         func(_ *Gates, a map[string][]float64) { delete(a, "machines") },
		"regions":                func(g *Gates, _ map[string][]float64) { g.Kind, g.Regions, g.Number = GatesRegions, 1, 0 },
	} {
		m := good()
		g := m.Family.Gates()
		spoil(g, m.Family.Arrays)
		if !reflect.DeepEqual(g, good().Family.Gates()) {
			m.Family = g.Family()
		}
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
