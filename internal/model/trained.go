package model

import (
	"fmt"
)

// A run that ends early leaves classifiers whose gap is larger than the one asked for, and
// classifiers for which no step was taken. The latter have no support vectors although that is not
// their optimum, so their decision value is a constant that does not depend on a row.

// Untrained reports whether no step was taken for this classifier, given the gap that was asked for. A
// classifier whose optimum has no support vectors has a small gap and is trained.
func (a *Classifier) Untrained(asked float64) bool {
	return untrained(len(a.Support), a.Certificate, asked)
}

func untrained(support int, c Certificate, asked float64) bool {
	return support == 0 && !(c.RelativeGap <= asked)
}

// Convergence is how near to their optimum the classifiers of a model are.
type Convergence struct {
	Decomposition
	asked   float64     // is the relative gap that was asked for
	whole   Certificate // belongs to one classifier, or to all together
	support int         // is the number of support vectors
}

// Convergence returns how near to the optimum the model is.
func (m *Model) Convergence() Convergence {
	return Convergence{m.Decomposition, m.Gap, m.Certificate, len(m.Support)}
}

// Worst returns the certificate with the largest gap of all classifiers and the number of its
// classifier. The kind is the kind of the weakest proof of any classifier. If there is one
// certificate for the whole model, it returns that one and -1.
func (c Convergence) Worst() (worst Certificate, classifier int) {
	worst, classifier = c.whole, -1
	if c.OneTheta {
		return worst, classifier
	}
	kind := "gap"
	for k := range c.Classifiers {
		a := &c.Classifiers[k]
		if classifier < 0 || a.Certificate.RelativeGap > worst.RelativeGap {
			worst, classifier = a.Certificate, k
		}
		if a.Certificate.Kind != kind {
			kind = a.Certificate.Kind
		}
	}
	if classifier >= 0 {
		worst.Kind = kind
	}
	return worst, classifier
}

// Trained reports whether a step was taken for classifier k. If all classifiers have one
// certificate, and it reaches the gap, each classifier is trained.
func (c Convergence) Trained(k int) bool {
	return c.OneTheta && c.Reached() || !c.Classifiers[k].Untrained(c.asked)
}

// Untrained counts the classifiers for which no step was taken. It is at most 1 for a model of one
// classifier.
func (c Convergence) Untrained() int {
	n := 0
	for k := range c.Classifiers {
		if !c.Trained(k) {
			n++
		}
	}
	if !c.Several() && untrained(c.support, c.whole, c.asked) {
		n++
	}
	return n
}

// Reached reports whether the gap that was asked for was reached, by every classifier or by all
// together.
func (c Convergence) Reached() bool {
	worst, _ := c.Worst()
	return worst.RelativeGap <= c.asked
}

// Doubt returns a sentence about a model that has not converged, for its user, and "" for a model
// that has.
func (c Convergence) Doubt() string {
	if c.Reached() {
		return ""
	}
	worst, classifier := c.Worst()
	text := fmt.Sprintf("the model is not converged: relative gap %.3g (asked %.3g)", worst.RelativeGap,
		c.asked)
	n := c.Untrained()
	switch {
	case n == 0 && classifier >= 0:
		return text + ", of " + c.Noun() + " " + c.ShortName(classifier)
	case n == 0:
		return text
	case !c.Several():
		return text + "; it was never trained"
	}
	were, part := "was", "has no part in decisions"
	if n > 1 {
		were, part = "were", "have no part in decisions"
	}
	if c.Multiclass == Quantiles {
		part = "of a constant function"
	}
	text += fmt.Sprintf("; %d of %d %ss %s never trained and %s", n, len(c.Classifiers), c.Noun(), were, part)
	if widest := c.widest(); classifier >= 0 && n < len(c.Classifiers) {
		text += fmt.Sprintf(", the others have gaps up to %.3g", widest)
	}
	return text
}

// widest returns the largest gap of the classifiers that were trained.
func (c Convergence) widest() float64 {
	gap := 0.0
	for k := range c.Classifiers {
		if c.Trained(k) {
			gap = max(gap, c.Classifiers[k].Certificate.RelativeGap)
		}
	}
	return gap
}
