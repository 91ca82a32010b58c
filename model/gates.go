package model

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/kernelspec"
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
)

// Gates are what a model with gates says of them.
type Gates struct {
	// Kind is regions or fixed.
	Kind string `json:"kind"`
	// Regions is the number of regions, in each of which every kernel of the specifications is
	// there once. It is 0 for fixed gates.
	Regions int `json:"regions,omitzero"`
	// On says which features the regions are regions of, as a specification does behind @. It is
	// empty for all features.
	On string `json:"on,omitzero"`

	// Loadings has the directions of principal components, which are the gating features if On is
	// pca:R: R rows of all features.
	Loadings []float64 `json:"-"`
	// Mean and Deviation have a number for each gating feature, by which it is standardised.
	Mean, Deviation []float64 `json:"-"`
	// Centres has the centre of each region in standardised features, region by region, and Spreads
	// its spread s of exp(-|z - centre|^2 / s^2).
	Centres, Spreads []float64 `json:"-"`
	// Support has the fixed gates of the support vectors, with a row of all kernels for each.
	Support []float64 `json:"-"`
}

// SetGates makes the model one with gates.
func (m *Model) SetGates(g *Gates) {
	// Nothing in the structure can fail to be encoded.
	text, _ := json.Marshal(g)
	m.Family = &Family{Name: GatesFamily, Settings: text, Arrays: map[string][]float64{}}
	if g.Kind == GatesFixed {
		m.Family.Arrays["support"] = g.Support
		return
	}
	m.Family.Arrays["mean"], m.Family.Arrays["deviation"] = g.Mean, g.Deviation
	if g.Loadings != nil {
		m.Family.Arrays["loadings"] = g.Loadings
	}
	m.Family.Arrays["centres"], m.Family.Arrays["spreads"] = g.Centres, g.Spreads
}

// Gates returns the gates of the model, or nil if it has none. The arrays are those of the model.
func (m *Model) Gates() *Gates {
	if m.Family == nil || m.Family.Name != GatesFamily {
		return nil
	}
	g := &Gates{}
	if err := json.Unmarshal(m.Family.Settings, g); err != nil {
		g = &Gates{} // Validate has refused such a file.
	}
	a := m.Family.Arrays
	g.Mean, g.Deviation, g.Centres, g.Spreads = a["mean"], a["deviation"], a["centres"], a["spreads"]
	g.Support, g.Loadings = a["support"], a["loadings"]
	return g
}

// regions is the number of regions in which the kernels of the specifications are repeated.
func (m *Model) regions() int {
	if g := m.Gates(); g != nil {
		return max(0, g.Regions)
	}
	return 0
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

// GatingFeatures returns the features that the gates look at, 0-based, or nil for all. A text that
// the model's views and features do not bear out is of class fail.Corrupt.
func (m *Model) GatingFeatures(g *Gates) ([]int32, error) {
	if g.On == "" || strings.HasPrefix(g.On, pcaPrefix) {
		return nil, nil
	}
	// A short text may stand for any number of features: those that have a mean bear it out.
	index, err := kernelspec.FeaturesOf(g.On, kernelspec.Context{
		Features: m.Features, Views: m.Views, Memory: 1<<16 + 16*int64(len(g.Mean)),
	})
	if err != nil {
		return nil, fail.New(fail.Corrupt, "gates: %w", err)
	}
	return index, nil
}

// checkGates checks what only a model with gates has.
func checkGates(m *Model, f *faults) {
	g := m.Gates()
	if g == nil {
		return
	}
	var strict Gates
	names := []string{"centres", "deviation", "mean", "spreads"}
	if g.Kind == GatesFixed {
		names = []string{"support"}
	} else if strings.HasPrefix(g.On, pcaPrefix) {
		names = append(names, "loadings")
	}
	// A field that this release does not know would change the meaning of the others.
	text, _ := json.Marshal(g)
	err := json.Unmarshal(m.Family.Settings, &strict)
	f.check(err == nil && slices.Equal(text, m.Family.Settings), "the settings of gates are damaged")
	f.check(g.Kind == GatesRegions || g.Kind == GatesFixed, "unknown gates %s", clip(g.Kind))
	for name := range m.Family.Arrays {
		f.check(slices.Contains(names, name), "an array %s of gates %s", clip(name), clip(g.Kind))
	}
	f.check(len(m.Family.Arrays) == len(names), "%d arrays of gates %s", len(m.Family.Arrays),
		clip(g.Kind))
	if len(*f) > 0 {
		return
	}
	if g.Kind == GatesFixed {
		f.check(g.Regions == 0 && g.On == "", "regions of fixed gates")
		f.check(len(g.Support) == len(m.Support)*m.Len(), "%d gates of %d support vectors and %d kernels",
			len(g.Support), len(m.Support), m.Len())
		f.each("family.support", g.Support, atLeast0, "finite and >= 0")
		return
	}
	d := m.Features
	if g.Components() > 0 {
		f.check(g.On == pcaPrefix+strconv.Itoa(g.Components()) && m.Features > 0 &&
			len(g.Loadings)/m.Features == g.Components() && len(g.Loadings)%m.Features == 0,
			"%d loadings of gates on %s", len(g.Loadings), clip(g.On))
		d = g.Components()
	} else if g.On != "" && d >= 0 {
		index, err := m.GatingFeatures(g)
		f.check(err == nil && len(index) > 0, "gates on the features %s", clip(g.On))
		d = len(index)
	}
	f.check(g.Regions >= 1 && len(g.Spreads) == g.Regions, "%d spreads of %d regions",
		len(g.Spreads), g.Regions)
	f.check(len(g.Mean) == d && len(g.Deviation) == d && len(g.Centres) == d*len(g.Spreads),
		"%d means, %d deviations and %d numbers of centres for %d gating features",
		len(g.Mean), len(g.Deviation), len(g.Centres), d)
	f.each("family.deviation", g.Deviation, above0, "positive")
	f.each("family.spreads", g.Spreads, above0, "positive")
	f.each("family.mean", g.Mean, float.Finite[float64], "finite")
	f.check(m.HasVectors() || len(m.Support) == 0, "regions without support vectors")
}
