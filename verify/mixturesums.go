package verify

import (
	"math"
	"slices"

	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// expectedMargin is the 2 in h_t: the score of a class exceeds the score of the other one by at
// least 2, which is the distance of the margins +1 and -1 of a classifier.
const expectedMargin = 2

// mixtureSums has the sums over rows that belong to all components together: the loss of a row
// depends on the scores of all of them. Each component has sums of its own besides, as a
// classifier. Every sum has a bound of its rounding, so verify accepts what a correct solver may
// have rounded, and nothing else.
type mixtureSums struct {
	losses, linear, objective neumaier
	slack                     float64 // what rounding of s may make of losses and objective
	linearSize                float64 // the sum of the absolute values of the terms of linear
	hidden                    bool    // the own component of some row is not known
	change, rough             float64 // largest distance of q from the softmax, and the rounding of it
}

// addSums adds the sums of another batch of rows.
func (t *mixtureSums) addSums(another wingSums) {
	o := another.(*mixtureSums)
	t.losses.addSum(o.losses)
	t.linear.addSum(o.linear)
	t.objective.addSum(o.objective)
	t.slack += o.slack
	t.hidden = t.hidden || o.hidden
	t.linearSize += o.linearSize
	t.change, t.rough = max(t.change, o.change), max(t.rough, o.rough)
}

func (t *mixtureSums) visit(v visitor) {
	v.sum(&t.losses)
	v.sum(&t.linear)
	v.sum(&t.objective)
	for _, x := range []*float64{&t.slack, &t.linearSize, &t.change, &t.rough} {
		v(x)
	}
	v.flag(&t.hidden)
}

func (mixtureWing) newSums(*model.Model) wingSums { return &mixtureSums{} }

// sumLosses adds the rows of a batch, whose decision values come from the components.
func (x mixtureWing) sumLosses(w *worker, b *batch) error {
	w.counted = len(b.rows)
	selves, err := x.selves(w, b)
	if err != nil {
		return err
	}
	k := x.mixture.Len()
	for r := range b.rows {
		own := selves[r*k : (r+1)*k]
		x.addRow(w, &b.rows[r], own)
		if s := b.rows[r].support; s >= 0 && !x.likelihood {
			w.own.(*mixtureSums).addLinear(x.mixture, w.m, &b.rows[r], own)
		}
	}
	return nil
}

// selves returns k_c(x,x) of each row for all components, row by row. It is computed from the
// kernel's definition, and not read from the model, which has none. Spherical normalisation
// makes it 1, or 0 for a row without any length.
func (x mixtureWing) selves(w *worker, b *batch) ([]float64, error) {
	k := x.mixture.Len()
	selves := make([]float64, k*len(b.rows))
	if len(w.m.Support) == 0 {
		return selves, nil // Such a model computes no kernels, nor their diagonals.
	}
	for c := range k {
		id := x.mixture.Kernel(c)
		kernel, spherical := &w.bank.Kernels[id], w.normalizer(int32(id)) == kernelspec.Spherical
		g := w.newGroup(kernel, true)
		if err := w.fill(&g, b.rows, 0, 1); err != nil {
			return nil, err
		}
		for r := range b.rows {
			self := value(kernel, w.selfX[r])
			if spherical && self > 0 {
				self = 1
			} else if spherical {
				self = 0
			} else {
				self *= w.scale(int32(id))
			}
			selves[r*k+c] = self
		}
	}
	return selves, nil
}

// scores returns s_c of a row for all components, and what each may be off by.
func (x mixtureWing) scores(w *worker, one *row, selves []float64) (scores, roughs []float64) {
	scores, roughs = make([]float64, len(selves)), make([]float64, len(selves))
	for q, p := range one.roles {
		c, f := &w.classifiers[p.classifier], w.decisions[one.first+q]
		linear := c.linear.addTo(&f, one.x, w.mean)
		self := selves[p.classifier]
		roughs[p.classifier] = c.rounding.term * (w.sizes[one.first+q] + linear + math.Abs(c.Bias) + math.Abs(self))
		f.add(c.Bias)
		f.add(-self / 2)
		scores[p.classifier] = f.value()
	}
	return scores, roughs
}

// addRow adds the loss of a row to the sums of the worker.
func (x mixtureWing) addRow(w *worker, one *row, selves []float64) {
	t, m := w.own.(*mixtureSums), x.mixture
	scores, roughs := x.scores(w, one, selves)
	positive, cost := one.roles[0].y > 0, one.roles[0].cost
	from, to := m.Own(positive)
	start, end := m.Own(!positive)
	q := m.Responsibilities[one.id*m.Width():][:to-from]
	// The scores of own components enter with weights that sum to 1, so the error of their sum
	// is at most the largest of their errors.
	h, rough := expectedMargin-entropyOf(q), 0.0
	for j, share := range q {
		h -= share * scores[from+j]
		rough = max(rough, roughs[from+j])
	}
	other := logSumOf(scores[start:end])
	if m.Entropy == model.EntropyDrop {
		other = slices.Max(scores[start:end])
	}
	// The softmax minimises - H(q) - q's.
	level := logSumOf(scores[from:to])
	best := -level
	if x.likelihood {
		h -= expectedMargin
		t.slack += cost * rough
	} else {
		h, best = max(0, h+other), max(0, expectedMargin-level+other)
		rough += slices.Max(roughs[start:end])
		// A row beyond the margin by more than its rounding has a loss of 0 either way.
		if h+rough > 0 {
			t.slack += cost * rough
		}
	}
	t.losses.add(cost * h)
	if m.Observed != nil && m.Observed[one.id] != 0 || to-from == 1 {
		t.objective.add(cost * h) // The own component is known.
		return
	}
	t.objective.add(cost * best)
	for j := range q {
		t.change = max(t.change, math.Abs(math.Exp(scores[from+j]-level)-q[j]))
	}
	t.hidden, t.rough = true, max(t.rough, rough)
}

// addLinear adds the terms of a support vector to the linear part of the dual value: l_t (2 -
// H(q_t) + H(Q_t)) and half of w_tc k_c(x_t,x_t) of each component. Q has the shares of the
// other components in l_t, which are -w_tc / l_t.
func (t *mixtureSums) addLinear(x *model.Mixture, m *model.Model, one *row, selves []float64) {
	positive := one.roles[0].y > 0
	from, to := x.Own(positive)
	start, end := x.Own(!positive)
	q := x.Responsibilities[one.id*x.Width():][:to-from]
	total := math.Abs(m.Alpha[one.support])
	gain := total * (expectedMargin - entropyOf(q))
	for c, self := range selves {
		v := x.Weights[c*len(m.Support)+one.support]
		half := v * self / 2
		t.linear.add(half)
		t.linearSize += math.Abs(half)
		if x.Entropy != model.EntropyDrop && c >= start && c < end && v < 0 {
			gain += v * math.Log(-v/total)
		}
	}
	t.linear.add(gain)
	t.linearSize += math.Abs(gain)
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

// logSumOf is log sum exp. The largest term is taken out, so no exponential overflows.
func logSumOf(s []float64) float64 {
	top, sum := slices.Max(s), 0.0
	for _, x := range s {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}
