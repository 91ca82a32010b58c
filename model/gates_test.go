package model

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"bigmkl/internal/fail"
)

// TestGatesAreChecked: gates that do not fit the model are refused, whatever a short text claims.
func TestGatesAreChecked(t *testing.T) {
	good := func() *Model {
		m := &Model{
			Task: TaskClass, Norm: 2, C: 1, Gap: 1e-3, Precision: "auto", Positive: "1", Negative: "-1", PositiveWeight: 1, NegativeWeight: 1,
			Points: 2, Features: 3, Store: "dense", Kernels: []string{"linear"}, Theta: []float64{1, 1}, WNorms: []float64{1, 1},
			Support: []int32{0, 1}, Alpha: []float64{1, -1}, Vectors: make([]float32, 6), Certificate: Certificate{Kind: "gap"},
		}
		m.Scaling.Kind, m.Normalization.Kind = "none", "none"
		m.SetGates(&Gates{Kind: GatesRegions, Regions: 2, On: "1+3", Mean: []float64{0, 0}, Deviation: []float64{1, 1}, Centres: make([]float64, 4), Spreads: []float64{1, 1}})
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
		g := m.Gates()
		before := string(m.Family.Settings)
		if spoil(m, g); string(m.Family.Settings) == before {
			m.SetGates(g)
		}
		if err := m.Validate(); !errors.Is(err, fail.Corrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
