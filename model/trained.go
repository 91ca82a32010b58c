package model

import (
	"fmt"

	"bigmkl/internal/fail"
)

// A run that ends early leaves classifiers whose gap is larger than the one asked for, and
// classifiers for which no step was taken. The latter have no support vectors although that is not
// their optimum, so their decision value is a constant that does not depend on a row.

// Untrained reports whether no step was taken for this classifier, given the gap that was asked for. A
// classifier whose optimum has no support vectors has a small gap and is trained.
func (a *Classifier) Untrained(asked float64) bool {
	return untrained(a.Support, a.Certificate,
		asked)
}

func untrained(support []int32, c Certificate, asked float64) bool {
	return len(support) == 0 && !(c.RelativeGap <= asked)
}

// Trained reports whether a step was taken for classifier k. If all classifiers have one
// certificate, and it reaches the gap, each classifier is trained.
func (m *Model) Trained(k int) bool {
	return m.OneTheta && m.Converged() || !m.Classifiers[k].Untrained(m.Gap)
}

// Untrained counts the classifiers for which no step was taken. It is at most 1 for a model of one
// classifier.
func (m *Model) Untrained() int {
	n := 0
	for k := range m.Classifiers {
		if !m.Trained(k) {
			n++
		}
	}
	if !m.Several() && untrained(m.Support, m.Certificate, m.Gap) {
		n++
	}
	return n
}

// Converged reports whether the gap that was asked for was reached, by every classifier or by all
// together.
func (m *Model) Converged() bool {
	c, _ := m.Worst()
	return c.RelativeGap <= m.Gap
}

// Doubt returns a sentence about a model that has not converged, for its user, and "" for a model
// that has.
func (m *Model) Doubt() string {
	if m.Converged() {
		return ""
	}
	c, classifier := m.Worst()
	text := fmt.Sprintf("the model is not converged: relative gap %.3g (asked %.3g)", c.RelativeGap,
		m.Gap)
	n := m.Untrained()
	switch {
	case n == 0 && classifier >= 0:
		return text + ", of classifier " + m.ShortName(classifier)
	case n == 0:
		return text
	case !m.Several():
		return text + "; it was never trained"
	}
	if n == 1 {
		text += fmt.Sprintf("; 1 of %d classifiers was never trained and has no part in decisions", len(m.Classifiers))
	} else {
		text += fmt.Sprintf("; %d of %d classifiers were never trained and have no part in decisions", n, len(m.Classifiers))
	}
	if widest := widestGap(m); classifier >= 0 && n < len(m.Classifiers) {
		text += fmt.Sprintf(", the others have gaps up to %.3g", widest)
	}
	return text
}

// widestGap returns the largest gap of the classifiers that were trained.
func widestGap(m *Model) float64 {
	gap := 0.0
	for k := range m.Classifiers {
		if m.Trained(k) {
			gap = max(gap, m.Classifiers[k].Certificate.RelativeGap)
		}
	}
	return gap
}

// ShortName returns the name of classifier k, cut to the length that messages and tables show.
func (m *Model) ShortName(k int) string {
	a := &m.Classifiers[k]
	if a.Negative == Rest {
		return fail.Label(m.Classes[a.Positive])
	}
	return fail.Label(m.Classes[a.Positive]) + " and " + fail.Label(m.Classes[a.Negative])
}
