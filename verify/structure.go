package verify

import (
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// This file checks that the parts of a model fit each other, before anything indexes one by
// another.

// structure returns an error of class corrupt unless the lengths and indexes of the model fit. A
// model that was read from a file has passed stricter checks; one that a program has put together
// has not.
func structure(m *model.Model) error {
	kernels, support := m.Len(), len(m.Support)
	ok := m.Points >= support && m.Features >= 0 && m.Norm >= 1
	ok = ok && (m.Weights == nil || len(m.Weights) == kernels)
	ok = ok && (m.Interaction == nil || len(m.Interaction) == kernels*kernels)
	ok = ok && (m.CostWeight == nil || *m.CostWeight >= 0)
	// Vectors are either dense or sparse.
	ok = ok && (m.Vectors == nil || len(m.Vectors) == support*m.Features)
	ok = ok && (m.Sparse == nil || m.Vectors == nil && m.Sparse.Sound(support, m.Features))
	ok = ok && (m.Normalization.Scale == nil || len(m.Normalization.Scale) == kernels)
	ok = ok && model.Ascending(m.Support, m.Points)
	ok = ok && (m.Sigmoids == nil || len(m.Sigmoids) == max(1, len(m.Classifiers)))
	ok = ok && (m.Fill == nil || len(m.Fill) == kernels &&
		m.Features == dataset.Flags(m.Views)+len(m.Views))
	ok = ok && m.Centre.Fits(m) && (m.Centre != nil) == model.Centred(m.Kernels, m.Normalization.Kind)
	if w := wingOf(m); !ok || !w.fits(m) || !posteriorsFit(m, w.traits(m).posteriors) {
		return fail.New(fail.Corrupt, "the parts of the model do not fit each other")
	}
	if err := m.Scaling.Validate(m.Features); err != nil {
		return fail.New(fail.Corrupt, "%w", err)
	}
	return nil
}

// posteriorsFit reports whether the posteriors of a model are probabilities, so many for each row. There need be none.
func posteriorsFit(m *model.Model, each int) bool {
	return m.Posteriors == nil || each > 0 && len(m.Posteriors) == m.Points*each && hasPosteriors(m) &&
		!slices.ContainsFunc(m.Posteriors, noProbability)
}

// noProbability reports whether p is outside of [0, 1].
func noProbability(p float64) bool { return !(p >= 0 && p <= 1) }

// classifiersFit reports whether the classifiers of a model of several are those that its classes
// ask for, in their order, and whether the parts of each fit.
func classifiersFit(m *model.Model) bool {
	if !slices.Contains(model.Multiclasses, m.Multiclass) || !m.HasClasses() {
		return false
	}
	if m.ClassWeights != nil && len(m.ClassWeights) != len(m.Classes) {
		return false
	}
	return pairsFit(m, model.Pairs(m.Multiclass, len(m.Classes)))
}

// pairsFit reports whether there is a classifier for each of these pairs, and whether the parts of each fit.
func pairsFit(m *model.Model, pairs [][2]int32) bool {
	if len(pairs) == 0 || len(pairs) != len(m.Classifiers) {
		return false
	}
	for k := range m.Classifiers {
		a := &m.Classifiers[k]
		if a.Positive != pairs[k][0] || a.Negative != pairs[k][1] ||
			len(a.Theta) != m.Len() || len(a.WNorms) != m.Len() ||
			len(a.Alpha) != len(a.Support) || !model.Ascending(a.Support, len(m.Support)) {
			return false
		}
	}
	return true
}

// laidOut reports whether the features of support vectors are at hand. Only then the number of
// features is backed by the file; otherwise it is a claim, for which no memory is allocated.
func laidOut(m *model.Model) bool { return m.HasVectors() && len(m.Support) > 0 }
