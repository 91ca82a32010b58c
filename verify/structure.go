package verify

import (
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/fail"
	"bigmkl/model"
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
	ok = ok && (m.CostWeight == nil || *m.CostWeight >= 0 && (!m.Several() || m.Task == model.TaskRKDA))
	// Vectors are either dense or sparse.
	ok = ok && (m.Vectors == nil || len(m.Vectors) == support*m.Features)
	ok = ok && (m.Sparse == nil || m.Vectors == nil && m.Sparse.Sound(support, m.Features))
	ok = ok && (m.Normalization.Scale == nil || len(m.Normalization.Scale) == kernels)
	ok = ok && model.Ascending(m.Support, m.Points)
	ok = ok && (m.Sigmoids == nil || len(m.Sigmoids) == max(1, len(m.Classifiers)))
	ok = ok && (m.Fill == nil || len(m.Fill) == kernels &&
		m.Features == dataset.Flags(m.Views)+len(m.Views))
	ok = ok && m.Centre.Fits(m) && (m.Centre != nil) == model.Centred(m.Kernels, m.Normalization.Kind)
	ok = ok && (m.Posteriors == nil || len(m.Posteriors) == m.Points*posteriorsOfRow(m) && m.Task == model.TaskClass &&
		(!m.Several() || m.Multiclass == model.SingleClassifier) && !slices.ContainsFunc(m.Posteriors, noProbability))
	ok = ok && mixtureFits(m)
	if m.Several() {
		ok = ok && classifiersFit(m)
	} else {
		ok = ok && len(m.Alpha) == support
	}
	if !ok {
		return fail.New(fail.Corrupt, "the parts of the model do not fit each other")
	}
	if err := m.Scaling.Validate(m.Features); err != nil {
		return fail.New(fail.Corrupt, "%w", err)
	}
	return nil
}

// posteriorsOfRow is the number of posteriors that a row of the model has, if it has any.
func posteriorsOfRow(m *model.Model) int {
	if m.Multiclass == model.SingleClassifier {
		return len(m.Classes)
	}
	return 1
}

// noProbability reports whether p is outside of [0, 1].
func noProbability(p float64) bool { return !(p >= 0 && p <= 1) }

// classifiersFit reports whether the classifiers of a model of several are those that its classes
// ask for, in their order, and whether the parts of each fit.
func classifiersFit(m *model.Model) bool {
	if !slices.Contains(model.Multiclasses, m.Multiclass) || !m.HasClasses() ||
		m.Task == model.TaskRKDA && !discriminantFits(m) ||
		m.Multiclass == model.SingleClassifier && (m.Task != model.TaskClass || m.Loss != "" || !m.OneTheta) {
		return false
	}
	if m.ClassWeights != nil && len(m.ClassWeights) != len(m.Classes) {
		return false
	}
	pairs := model.Pairs(m.Multiclass, len(m.Classes))
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

// discriminantFits reports whether a model of task rkda has a count of rows for each class and a
// mean for each two.
func discriminantFits(m *model.Model) bool {
	d, k := m.Discriminant, len(m.Classes)
	return d != nil && k >= 2 && m.OneTheta && len(d.Rows) == k && len(d.Means) == k*k
}

// laidOut reports whether the features of support vectors are at hand. Only then the number of
// features is backed by the file; otherwise it is a claim, for which no memory is allocated.
func laidOut(m *model.Model) bool { return m.HasVectors() && len(m.Support) > 0 }
