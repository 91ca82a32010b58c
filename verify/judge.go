package verify

import "slices"

// This file holds a model to the evidence.

// judgement holds a model to the evidence that the rows of its training have given, to which it adds the faults.
type judgement struct {
	*problem
	*evidence
}

// judge compares what the model claims with the evidence. Several classifiers are judged one by one, and together if
// they share one set of weights.
func (p *judgement) judge() {
	m, e, f := p.m, p.evidence, &p.faults
	checkInteractions(m, f)
	p.checkCosts(f)
	p.checkWeightRule(f)
	if e.weighted && !m.RowWeights {
		f.add("weights", "the data have row weights, the model says that it was trained without")
	}
	// Bounds of rows of a stream that are gone count as well.
	if m.RowWeights && !e.weighted && m.Stream == nil {
		f.add("weights", "the model says that it was trained with row weights, and all of the data are 1")
	}
	if e.fingerprint != m.Fingerprint {
		f.add(otherData,
			"the model was trained on data of fingerprint %016x, these have %016x: other rows, labels, class names, weights, posteriors or scaling",
			m.Fingerprint, e.fingerprint)
	}
	e.whole = p.wing.judge(p)
	double := slices.ContainsFunc(p.classifiers, func(c classifier) bool { return c.Double })
	if m.Double != double {
		f.add("precision", "the model claims double precision: %v; of its classifiers: %v",
			m.Double, double)
	}
}
