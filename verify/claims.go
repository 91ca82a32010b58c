package verify

import (
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/model"
)

// This file compares the claims of a classifier with the finding on it.

// checkClaims adds to e.faults the claims of the classifier that the finding e does not confirm.
// Values are compared only if they are finite. whole is the model that the classifier is part of.
func (c *classifier) checkClaims(e *finding, whole *model.Model, sampled bool) {
	m, f := c.Model, &e.faults
	c.checkAlpha(f)
	checkSigmoid(m, f)
	c.regularizer.checkTheta(f)
	checkKind(m, e)
	// Classifiers that share their weights are claimed together, and the gap of one alone is not
	// claimed.
	gap, of := m.Certificate.RelativeGap, m
	if whole.OneTheta { // Of the norm of all the classifier has the weights alone.
		gap, of = whole.Certificate.RelativeGap, whole
	}
	checkPrecision(of, m.Double, gap, f)
	if !float.Finite(e.primal) || !float.Finite(e.dual) {
		f.add("finite", "the certificate is not finite: primal %v, dual %v", e.primal, e.dual)
		return
	}
	if c.column {
		if m.Certificate != whole.Certificate {
			f.add("claim", "the function of one class has another certificate than the classifier")
		}
	} else {
		checkCertificate(m, e, sampled)
	}
	checkNorms(m, e)
	c.regularizer.checkThetaNorm(e.thetaNorm, f)
}

// checkSigmoid checks that the probability 1 / (1 + exp(A f + B)) does not fall with f. A and B
// come from folds, which are not trained again. In task logistic f is the logarithm of the odds.
func checkSigmoid(m *model.Model, f *faults) {
	if model.GivesOdds(m.Task) {
		if len(m.Sigmoids) != 1 || m.Sigmoids[0].A != -1 || m.Sigmoids[0].B != 0 || m.Folds != 0 {
			f.add("sigmoid", "sigmoids %v from %d folds, where the decision value is the logarithm of the odds", m.Sigmoids, m.Folds)
		}
		return
	}
	if m.Sigmoids == nil && m.Folds == 0 {
		return
	}
	if m.Folds < 2 || len(m.Sigmoids) != 1 || !hasPosteriors(m) {
		f.add("sigmoid", "%d sigmoids of a classifier from %d folds", len(m.Sigmoids), m.Folds)
		return
	}
	if s := m.Sigmoids[0]; !float.Finite(s.A) || !float.Finite(s.B) || s.A > 0 {
		f.add("sigmoid", "the sigmoid 1 / (1 + exp(%g f + %g)) does not grow with f", s.A, s.B)
	}
}

// checkAlpha checks the sum of alpha. Sign and bound are checked row by row, by checkDual. Variables that
// vanish at the optimum are what rounding has left of others, which may have been as large as their bounds.
func (c *classifier) checkAlpha(f *faults) {
	m := c.Model
	var sum, size neumaier
	for _, a := range m.Alpha {
		sum.add(a)
		size.add(math.Abs(a))
	}
	left := 0.0
	if float.Finite(c.dearest) {
		left = doubleTerm * math.Sqrt(float64(m.Points)) * c.dearest
	}
	if s := sum.value(); !(math.Abs(s-alphaSum(m)) <= balance*size.value()+left) {
		f.add("sum", "the sum of alpha is %g, not %g", s, alphaSum(m))
	}
}

// checkKind checks whether the model calls its gap a proof. It is one only if every kernel in use
// is positive semi-definite; otherwise a gap of 0 shows a stationary point.
func checkKind(m *model.Model, e *finding) {
	switch kind := m.Certificate.Kind; {
	case kind == "gap" && !e.definite:
		e.faults.add("kind",
			"the model calls its gap a proof, but a kernel in use may be indefinite")
	case kind != "gap" && e.definite:
		e.faults.add("kind", "the model's certificate is %s, but no kernel in use can be indefinite",
			fail.Quote(kind))
	}
}

// checkPrecision checks the arithmetic that the model claims to have ended in against what was
// asked for. Double precision is a must if it was asked for; for p > 2 and for interactions,
// where a small ||v_m|| has a large weight; and in automatic precision for a gap below 1e-4 that
// was reached. double states what is claimed, with the relative gap.
func checkPrecision(m *model.Model, double bool, gap float64, f *faults) {
	// A small ||v_m|| has a large weight here, and its relative error is large.
	delicate := m.Norm > 2 || m.GroupNorm > 2 || coupled(m.Interaction)
	// In automatic precision training reaches a gap below 1e-4 in double precision only.
	small := m.Precision == "auto" && m.Gap < 1e-4 && gap <= m.Gap
	switch must := m.Precision == "64" || delicate || small; {
	case must && !double:
		f.add("precision", "the model claims single precision, which precision %s at p = %g and a gap of %g rules out",
			m.Precision, m.Norm, m.Gap)
	case !must && double && m.Precision == "32":
		f.add("precision", "the model claims double precision, which precision 32 at p = %g rules out",
			m.Norm)
	}
}

// coupled reports whether the square matrix e has an entry other than 0 beside its diagonal.
func coupled(e []float64) bool {
	n := int(math.Sqrt(float64(len(e))) + 0.5)
	for k, x := range e {
		if k/n != k%n && x != 0 {
			return true
		}
	}
	return false
}

// checkCertificate compares primal value, dual value and gap. The gap that the model claims has
// to follow from its own values. A model that claims to have reached the gap that was asked for
// must reach that gap, as far as rounding lets one tell; for any other model its values are
// checked.
func checkCertificate(m *model.Model, e *finding, sampled bool) {
	c, f := m.Certificate, &e.faults
	if own := math.Abs(relativeGap(c.Primal, c.Dual)); !(math.Abs(c.RelativeGap-own) <= exact*own) {
		f.add("claim", "the model claims a relative gap of %.3g, its own primal and dual value give %.3g",
			c.RelativeGap, own)
	}
	scale := max(math.Abs(e.primal), math.Abs(e.dual))
	// The amount that training has added to a primal value because of rounding is not part of the
	// value. A value that is too high for all that claims too little, and so it may be: training
	// moves the bias to where the loss is less. Where that leaves the gap converged, it is less than
	// the gap. In single precision the span is as wide.
	primal, above := c.Primal-c.Rounding, 0.0
	switch reach := e.primalSpan.reach(e.primal); {
	case !m.Double:
	case c.RelativeGap <= m.Gap:
		above = min(m.Gap*scale, estimates*reach)
	default:
		above = estimates * (reach + e.dualSpan.reach(e.dual))
	}
	if s := (span{e.primalSpan.low, e.primalSpan.high + above}); !s.holds(primal, conceded*scale) {
		f.add("primal", "the model claims a primal value of %.9g, these data give %.9g",
			primal, e.primal)
	}
	if !e.dualSpan.holds(c.Dual, conceded*scale) {
		f.add("dual", "the model claims a dual value of %.9g, these data give %.9g", c.Dual, e.dual)
	}
	// The comparison is negated so that a NaN is a fault. Both sides are multiplied by the scale,
	// in which the error of the sums of this package is known.
	most := (tolerance*m.Gap+conceded)*scale + e.doubleError
	if c.RelativeGap <= m.Gap && !sampled && !(e.gap*scale <= most) {
		f.add("gap",
			"the model claims a relative gap of %.3g, these data give %.3g: other data than it was trained on, or a damaged model",
			c.RelativeGap, e.gap)
	}
}

// checkNorms compares ||w_m|| of each kernel.
func checkNorms(m *model.Model, e *finding) {
	largest := 0.0
	for _, w := range e.wNorms {
		if float.Finite(w.high) { // a sample may contain no information on a norm
			largest = max(largest, w.high)
		}
	}
	// What is conceded besides rounding is relative to the largest norm: next to that, the norm
	// of a kernel that hardly counts has few digits that could be compared.
	for k, w := range m.WNorms {
		if s := e.wNorms[k]; !s.holds(w, conceded*largest) {
			e.faults.add("w_norms", "the norm of w_%d is %.9g in the model, its weight and alpha give %.9g",
				k+1, w, (s.low+s.high)/2)
		}
	}
}
