package verify

import (
	"math"
	"slices"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/kernelspec"
	"bigmkl/model"
)

// A model of task med or mixture has components in place of classifiers: component c is a classifier of one
// kernel, with the dual variables w_c and the bias e_c, so its decision value is s_c(x) except for -k_c(x,x)/2.
// From s, the responsibilities q of every row and the totals l = |alpha| follow, with C_t the cost of a row,
//
//	h_t = 2 - H(q_t) - sum_own q_tc s_c + log sum_other exp s_c      (the largest s_c without the entropy)
//	P   = 1/2 sum_c w_c'K_c w_c + sum_t C_t max(0, h_t)
//	D   = sum_t l_t (2 - H(q_t) + H(Q_t)) + 1/2 sum_tc w_tc k_c(x_t,x_t) - 1/2 sum_c w_c'K_c w_c
//
// and the softmax of s over the own components, and the model has the distance of q from it. Of
// task mixture
//
//	F = sum_t C_t (sum_own q_tc s_c + H(q_t)), J = sum_t C_t log sum_own exp s_c, both times -1
//
// are the values, and w and e come from the means of the responsibilities.

// expectedMargin is the margin that the problem asks for.
const expectedMargin = 2

// ofWeights is what w may be off by from l q, and the sum of the others from l, relative to l.
const ofWeights = 1e-9

// components returns the components of a mixture as classifiers, whose kernels are the kernels of
// b.
func components(m *model.Model, x *model.Mixture, b *kernelspec.Bank) (list []classifier) {
	support := len(m.Support)
	for c, e := range x.Multipliers {
		one := *m
		one.Theta, one.Bias, one.Alpha = make([]float64, len(m.Theta)), e, nil
		one.Theta[x.Kernel(c)] = 1
		one.Weights = one.Theta // as a classifier of fixed weights
		var at []int32
		for s, w := range x.Weights[c*support : (c+1)*support] {
			if w != 0 {
				at, one.Alpha = append(at, int32(s)), append(one.Alpha, w)
			}
		}
		a := newClassifier(&one, b, at, m.C*max(m.PositiveWeight, m.NegativeWeight))
		a.component = c + 1
		list = append(list, a)
	}
	return list
}

// mixtureFits reports whether the parts of a model of components fit.
func mixtureFits(m *model.Model) bool {
	x := m.Family.Mixture()
	if !model.HasComponents(m.Task) || x == nil {
		return !model.HasComponents(m.Task) && x == nil
	}
	if m.Task == model.TaskMixture && len(m.Support) != m.Points {
		return false
	}
	for _, side := range x.Components {
		if len(side) == 0 || slices.ContainsFunc(side, func(k int) bool { return k < 1 || k > m.Len() }) {
			return false
		}
	}
	return !m.Several() && len(x.Multipliers) == x.Len() && len(x.Weights) == x.Len()*len(m.Support) &&
		len(x.Responsibilities) == m.Points*x.Width() && (x.Observed == nil || len(x.Observed) == m.Points)
}

// mixtureSums is what a mixture sums over rows, beside what its components sum as classifiers.
type mixtureSums struct {
	losses, linear, objective neumaier
	slack                     float64 // what rounding of s may make of losses and objective
	linearSize                float64 // the sum of the absolute values of the terms of linear
	hidden                    bool    // the own component of some row is not known
	change, rough             float64 // largest distance of q from the softmax, and what it may be off by
}

// addSums adds the sums of another batch of rows.
func (t *mixtureSums) addSums(o *mixtureSums) {
	t.losses.addSum(o.losses)
	t.linear.addSum(o.linear)
	t.objective.addSum(o.objective)
	t.slack += o.slack
	t.hidden = t.hidden || o.hidden
	t.linearSize += o.linearSize
	t.change, t.rough = max(t.change, o.change), max(t.rough, o.rough)
}

// addMixture adds the rows of a batch, whose decision values come from the components.
func (w *worker) addMixture(b *batch) error {
	x := w.mixture
	n, k, support := len(b.rows), x.Len(), len(w.m.Support)
	selves := make([]float64, k*n)
	for c := range k {
		id := x.Kernel(c)
		kernel, spherical := &w.bank.Kernels[id], w.normalizer(int32(id)) == kernelspec.Spherical
		if support == 0 {
			break // Such a model computes no kernels, nor their diagonals.
		}
		g := w.newGroup(kernel, true)
		if err := w.fill(&g, b.rows, 0, 1); err != nil {
			return err
		}
		for r := range n {
			self := value(kernel, w.selfX[r])
			if spherical && self > 0 {
				self = 1
			} else if spherical {
				self = 0
			} else {
				self *= w.scale(int32(id))
			}
			selves[c*n+r] = self
		}
	}
	scores, roughs, soft := make([]float64, k), make([]float64, k), make([]float64, x.Width())
	for r := range b.rows {
		one := &b.rows[r]
		for q, p := range one.roles {
			c, f := &w.classifiers[p.classifier], w.decisions[one.first+q]
			linear := c.linear.addTo(&f, one.x, w.mean)
			self := selves[int(p.classifier)*n+r]
			roughs[p.classifier] = c.rounding.term * (w.sizes[one.first+q] + linear + math.Abs(c.Bias) + math.Abs(self))
			f.add(c.Bias)
			f.add(-self / 2)
			scores[p.classifier] = f.value()
		}
		positive, cost := one.roles[0].y > 0, one.roles[0].cost
		from, to := x.Own(positive)
		start, end := x.Own(!positive)
		q := x.Responsibilities[one.id*x.Width():][:to-from]
		h, rough := expectedMargin-entropyOf(q), 0.0
		for j, share := range q {
			h -= share * scores[from+j]
			rough = max(rough, roughs[from+j])
		}
		other := logSumOf(scores[start:end])
		if x.Entropy == model.EntropyDrop {
			other = slices.Max(scores[start:end])
		}
		t := &w.mixed
		// The softmax minimises - H(q) - q's.
		level := logSumOf(scores[from:to])
		best := -level
		if w.m.Task == model.TaskMixture {
			h -= expectedMargin
			t.slack += cost * rough
		} else {
			h, best = max(0, h+other), max(0, expectedMargin-level+other)
			rough += slices.Max(roughs[start:end])
			if h+rough > 0 {
				t.slack += cost * rough
			}
		}
		t.losses.add(cost * h)
		known := x.Observed != nil && x.Observed[one.id] != 0 || to-from == 1
		if known {
			t.objective.add(cost * h)
		} else {
			t.objective.add(cost * best)
			for j := range q {
				soft[j] = math.Exp(scores[from+j] - level)
				t.change = max(t.change, math.Abs(soft[j]-q[j]))
			}
			t.hidden, t.rough = true, max(t.rough, rough)
		}
		s := one.support
		if s < 0 || w.m.Task == model.TaskMixture {
			continue
		}
		total, gain := math.Abs(w.m.Alpha[s]), 0.0
		gain = total * (expectedMargin - entropyOf(q))
		for c := range k {
			v := x.Weights[c*support+s]
			half := v * selves[c*n+r] / 2
			t.linear.add(half)
			t.linearSize += math.Abs(half)
			if x.Entropy != model.EntropyDrop && c >= start && c < end && v < 0 {
				gain += v * math.Log(-v/total)
			}
		}
		t.linear.add(gain)
		t.linearSize += math.Abs(gain)
	}
	return nil
}

// entropyOf is H of a distribution.
func entropyOf(q []float64) float64 {
	h := 0.0
	for _, x := range q {
		if x > 0 {
			h -= x * math.Log(x)
		}
	}
	return h
}

// logSumOf is log sum exp.
func logSumOf(s []float64) float64 {
	top, sum := slices.Max(s), 0.0
	for _, x := range s {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}

// checkResponsibilities checks q of a row and, of a support vector s, that w is made of q and the total.
// s is -1 for other rows.
func checkResponsibilities(m *model.Model, x *model.Mixture, row, s int, y, cost float64, f *faults) {
	from, to := x.Own(y > 0)
	all := x.Responsibilities[row*x.Width() : (row+1)*x.Width()]
	q, total := all[:to-from], 0.0
	for j, share := range all {
		if !(share >= 0) || j >= len(q) && share != 0 {
			f.add("responsibility", "row %d: responsibility %d is %v", row+1, j+1, share)
		}
		total += share
	}
	if !(math.Abs(total-1) <= ofWeights) {
		f.add("responsibility", "row %d: responsibilities sum to %.12g", row+1, total)
	}
	if x.Observed != nil && x.Observed[row] != 0 {
		if o := int(x.Observed[row]) - 1; o >= len(q) || q[o] != 1 {
			f.add("observed", "row %d: component %d was observed, and is not its only one", row+1, o+1)
		}
	}
	if s < 0 {
		if m.Task == model.TaskMixture {
			f.add("unused", "row %d has no weight, and every row has one in task mixture", row+1)
		}
		return
	}
	support, l := len(m.Support), math.Abs(m.Alpha[s])
	if m.Alpha[s]*y < 0 || l > cost*(1+boxSlack) {
		f.add("box", "row %d: alpha is %.17g for label %+g and the bound %.17g", row+1, m.Alpha[s], y, cost)
	} else if m.Task == model.TaskMixture && l < cost*(1-boxSlack) {
		f.add("box", "row %d: alpha is %.17g for label %+g, and the row counts %.17g times", row+1, m.Alpha[s], y, cost)
	}
	if m.Task == model.TaskMixture {
		return // checkMeans has what w is of them.
	}
	others := 0.0
	for c := range x.Len() {
		w := x.Weights[c*support+s]
		if c >= from && c < to {
			if !(math.Abs(w-l*q[c-from]) <= ofWeights*l) {
				f.add("weights", "row %d: w of component %d is %.12g, its total and responsibility give %.12g", row+1,
					c+1, w, l*q[c-from])
			}
			continue
		}
		if w > 0 {
			f.add("sign", "row %d: w of component %d of the other class is %v", row+1, c+1, w)
		}
		others -= w
	}
	if !(math.Abs(others-l) <= ofWeights*l) {
		f.add("weights", "row %d: w of the other class sums to %.12g, and the total is %.12g", row+1, others, l)
	}
}

// judgeMixture returns the finding on the problem of all components, with the faults of that problem.
// The primal value of a component is half of w_c'K_c w_c, and its dual value the negative of that. Of an
// indefinite kernel it may be below 0, and counts as it is.
func (p *judgement) judgeMixture() *finding {
	m, x, list, t := p.m, p.mixture, p.findings, &p.components
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
		low[k], high[k] = math.Hypot(low[k], f.wNorms[k].low), math.Hypot(high[k], f.wNorms[k].high)
	}
	losses, linear, size := t.losses.value(), t.linear.value(), doubleTerm*t.linearSize
	if m.Task == model.TaskMixture {
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
	p.checkMixtureClaims(e, t)
	if m.Task == model.TaskMixture {
		p.checkMeans(list, f)
	}
	return e
}

// checkMixtureClaims checks what a mixture claims beside its certificate.
func (p *judgement) checkMixtureClaims(e *finding, t *mixtureSums) {
	m, x, f := p.m, p.mixture, &e.faults
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
	is := e.primal - t.losses.value() + t.objective.value()
	if !(math.Abs(x.Objective-is) <=
		t.slack+e.primalSpan.reach(e.primal)+conceded*math.Abs(is)) {
		f.add("objective", "the model claims an objective of %.9g, these data give %.9g", x.Objective, is)
	}
}
