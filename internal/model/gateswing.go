package model

import (
	"slices"
	"strconv"
	"strings"

	"bigmkl/internal/float"
	"bigmkl/internal/kernelspec"
)

// gatesWing is the family of gates.
type gatesWing struct{}

var _ wing = gatesWing{}

func (gatesWing) since(family *Family) int {
	if family.learnsEach() || family.Arrays["landmarks"] != nil {
		return featuresVersion
	}
	return familyVersion
}

// expand repeats the kernels in each region. Kernels of gates that are learned may name their gate.
func (gatesWing) expand(family *Family, c *kernelspec.Context) {
	if g := family.Gates(); g != nil {
		c.Regions, c.Gated = max(0, g.Regions), g.Learned()
	}
}

// ofClassifier returns the gates that the classifier has learned, and the values of its support
// vectors. Other gates are the same for all.
func (gatesWing) ofClassifier(family *Family, k int, support []int32) *Family {
	if !family.learnsEach() && family.Arrays["landmarks"] == nil {
		return family
	}
	g := family.Gates().OfClassifier(k)
	g.Landmarks = g.Landmarks.of(support)
	return g.Family()
}

func (gatesWing) check(m *Model, f *faults) { m.Family.checkGates(m, f) }

// learnsEach reports whether each of several classifiers has gates that it has learned.
func (family *Family) learnsEach() bool {
	return family.Name == GatesFamily && family.Arrays["machines"] != nil
}

// checkGates checks the gates of a model of the family, if there are any.
func (family *Family) checkGates(m *Model, f *faults) {
	g := family.Gates()
	if g == nil {
		return
	}
	each := family.learnsEach()
	family = family.ofGates()
	names := []string{"centres", "deviation", "mean", "spreads"}
	if g.Learned() {
		names = []string{"deviation", "mean", "parameters"}
		if each {
			names = append(names, "machines")
		}
	}
	if g.Kind == GatesFixed {
		names = []string{"support"}
	} else if strings.HasPrefix(g.On, pcaPrefix) {
		names = append(names, "loadings")
	} else if g.Landmarks != nil {
		names = append(names, g.Landmarks.names(family.Arrays)...)
	}
	f.check(hasSettings(family, g), "the settings of gates are damaged")
	f.check(g.Kind == GatesRegions || g.Kind == GatesFixed || g.Learned(), "unknown gates %s", clip(g.Kind))
	for name := range family.Arrays {
		f.check(slices.Contains(names, name), "an array %s of gates %s", clip(name), clip(g.Kind))
	}
	f.check(len(family.Arrays) == len(names), "%d arrays of gates %s", len(family.Arrays),
		clip(g.Kind))
	if len(*f) > 0 {
		return
	}
	f.check(g.Learned() || g.Number == 0 && g.Floor == 0 && g.Decay == 0 && g.Stationarity == 0 &&
		g.Steps == 0 && g.Trials == 0, "a descent of gates %s", clip(g.Kind))
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
	} else if g.Landmarks != nil {
		g.Landmarks.check(m, g.On, f)
		d = len(g.Landmarks.Rows)
	} else if g.On != "" && d >= 0 {
		index, err := m.Expansion().GatingFeatures(g)
		f.check(err == nil && len(index) > 0, "gates on the features %s", clip(g.On))
		d = len(index)
	}
	if g.Learned() {
		want := 0 // Classifiers may have one set of gates, and one classifier for all classes has.
		if len(g.Classifiers) > 0 {
			want = len(m.Classifiers)
		}
		f.check(len(g.Classifiers) == want && (want == 0 || m.Multiclass != SingleClassifier), "learned gates of %d classifiers in a model of %d",
			len(g.Classifiers), want)
		f.check(want == 0 || g.Floor == 0 && g.Decay == 0 && g.Stationarity == 0 && g.Steps == 0 &&
			g.Trials == 0, "a descent of the gates of several classifiers together")
		for k := range g.Classifiers {
			checkLearned(g.OfClassifier(k), d, f)
		}
		if len(g.Classifiers) == 0 {
			checkLearned(g, d, f)
		}
		f.check(len(family.Arrays["machines"]) == want*gateNumbers &&
			(want == 0 || len(g.Parameters)%want == 0), "%d numbers and %d parameters of %d classifiers",
			len(family.Arrays["machines"]), len(g.Parameters), want)
	} else {
		f.check(g.Regions >= 1 && len(g.Spreads) == g.Regions, "%d spreads of %d regions",
			len(g.Spreads), g.Regions)
		f.check(len(g.Centres) == d*len(g.Spreads), "%d numbers of centres for %d gating features",
			len(g.Centres), d)
	}
	f.check(len(g.Mean) == d && len(g.Deviation) == d,
		"%d means and %d deviations for %d gating features", len(g.Mean), len(g.Deviation), d)
	f.each("family.deviation", g.Deviation, above0, "positive")
	f.each("family.spreads", g.Spreads, above0, "positive")
	f.each("family.mean", g.Mean, float.Finite[float64], "finite")
	f.check(m.HasVectors() || len(m.Support) == 0 || !g.UsesFeatures(), "gates on features without support vectors")
}

// checkLearned checks what only gates that were learned have, on d gating features.
func checkLearned(g *Gates, d int, f *faults) {
	f.check(g.Regions == 0, "regions of gates %s", clip(g.Kind))
	f.check(g.Number >= 1 && d >= 0 && len(g.Parameters)/(d+1) == g.Number &&
		len(g.Parameters)%(d+1) == 0, "%d parameters of %d gates on %d gating features",
		len(g.Parameters), g.Number, d)
	f.check(g.Floor >= 0 && g.Floor < 1, "a floor of gates of %g", g.Floor)
	f.check(atLeast0(g.Decay), "a decay of gates of %g", g.Decay)
	f.check(atLeast0(g.Stationarity), "a stationarity of %g", g.Stationarity)
	f.check(g.Steps >= 0 && g.Trials >= g.Steps, "%d steps in %d trials", g.Steps, g.Trials)
	f.each("family.parameters", g.Parameters, float.Finite[float64], "finite")
}
