package verify

import (
	"math"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
)

// judge checks the dual variables of each component, and the claims about the problem of all
// components together. A component alone claims nothing: the model has one certificate.
func (w mixtureWing) judge(p *judgement) *finding {
	for k := range p.classifiers {
		if !w.likelihood {
			p.classifiers[k].checkAlpha(&p.findings[k].faults)
		}
	}
	checkPrecision(p.m, p.m.Double, p.m.Certificate.RelativeGap, &p.faults)
	return w.judgeTogether(p)
}

// judgeTogether returns the finding on the problem of all components, with the faults of that problem.
// The primal value of a component is half of w_c'K_c w_c, and its dual value the negative of that. Of an
// indefinite kernel it may be below 0, and counts as it is.
func (w mixtureWing) judgeTogether(p *judgement) *finding {
	m, x, list, t := p.m, w.mixture, p.findings, p.wingSums.(*mixtureSums)
	e := &finding{definite: true}
	low, high := make([]float64, m.Len()), make([]float64, m.Len())
	for i := range list {
		f := &list[i]
		e.doubleError += f.doubleError
		e.definite = e.definite && f.definite
		half := f.parts.around(f.parts.energy)
		e.primal, e.dual = e.primal+f.parts.energy, e.dual-f.parts.energy
		e.primalSpan = span{e.primalSpan.low + half.low, e.primalSpan.high + half.high}
		e.dualSpan = span{e.dualSpan.low - half.high, e.dualSpan.high - half.low}
		k := x.Kernel(i)
		// Components of one kernel share its norm in the model, the root of the sum of their
		// squared norms.
		low[k], high[k] = math.Hypot(low[k], f.wNorms[k].low), math.Hypot(high[k], f.wNorms[k].high)
	}
	losses, linear, size := t.losses.value(), t.linear.value(), doubleTerm*t.linearSize
	if w.likelihood {
		// No norm is a part of a likelihood, whose values are both made of s.
		e.primal, e.dual, e.primalSpan, e.dualSpan = 0, 0, span{}, span{}
		linear, size = t.objective.value(), t.slack
	}
	e.primal += losses
	e.dual += linear
	e.primalSpan = span{e.primalSpan.low + losses - t.slack, e.primalSpan.high + losses + t.slack}
	e.dualSpan = span{e.dualSpan.low + linear - size, e.dualSpan.high + linear + size}
	e.doubleError += inDouble / p.classifiers[0].rounding.term * t.slack
	e.gap = relativeGap(e.primal, e.dual)
	for k := range low {
		e.wNorms = append(e.wNorms, span{low[k], high[k]})
	}
	f := &e.faults
	if !float.Finite(e.primal) || !float.Finite(e.dual) {
		f.add("finite", "the certificate is not finite: primal %v, dual %v", e.primal, e.dual)
		return e
	}
	if len(m.Support) == 0 {
		// A model that was never trained has no features, of which k(x,x) in its primal value is made. Its
		// dual value is 0 whatever they are.
		if m.Certificate.Dual != 0 {
			f.add("dual", "the model claims a dual value of %.9g, and has no support vectors", m.Certificate.Dual)
		}
		return e
	}
	checkCertificate(m, e, false)
	checkNorms(m, e)
	w.checkClaims(p, e, t)
	if w.likelihood {
		w.checkMeans(p, f)
	}
	return e
}

// checkClaims checks what a mixture claims beside its certificate.
func (w mixtureWing) checkClaims(p *judgement, e *finding, t *mixtureSums) {
	m, x, f := p.m, w.mixture, &e.faults
	used := make([]float64, m.Len())
	for c := range x.Len() {
		used[x.Kernel(c)] = 1
	}
	if !slices.Equal(used, m.Theta) {
		f.add("theta", "the weights are not 1 for the kernels of components and 0 for others")
	}
	kind := "stationary"
	if !t.hidden && e.definite {
		kind = "gap"
	}
	if m.Certificate.Kind != kind {
		f.add("kind", "the model's certificate is %s, and its problem has one of kind %s", fail.Quote(m.Certificate.Kind),
			kind)
	}
	if !(math.Abs(x.Change-t.change) <= 2*t.rough+conceded) {
		f.add("change", "the model claims responsibilities within %.9g of the softmax, these data give %.9g",
			x.Change, t.change)
	}
	// The objective has the same norms as the primal value, with the losses at the best
	// responsibilities in place of the losses at the responsibilities of the model.
	is := e.primal - t.losses.value() + t.objective.value()
	if !(math.Abs(x.Objective-is) <=
		t.slack+e.primalSpan.reach(e.primal)+conceded*math.Abs(is)) {
		f.add("objective", "the model claims an objective of %.9g, these data give %.9g", x.Objective, is)
	}
}
