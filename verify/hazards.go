package verify

import (
	"cmp"
	"math"
	"slices"

	"bigmkl/internal/model"
)

// Task cox. With the decision values f of all rows, their weights w, the times t_k of events, the d_k rows D_k with an event then, the
// mean m_k of their weights and the rows R_k whose time is t_k or later, the loss is C times
//
//	L(f) = sum_k [ m_k sum_{l < d_k} log( sum_{R_k} w_j exp f_j - l/d_k sum_{D_k} w_j exp f_j ) - sum_{D_k} w_j f_j ],
//
// and the dual variables of a function u are -C grad L(u). The linear part of the dual value is the least value of
// alpha'u + C L(u). It is computed at the u of which alpha is the response, which is found time by time; that it is the response
// is checked.

// hazardsWing is the wing of task cox.
type hazardsWing struct{ plainWing }

var _ wing = hazardsWing{}

func (hazardsWing) traits(m *model.Model) wingTraits {
	t := plainWing{}.traits(m)
	t.whole = true
	return t
}

func (hazardsWing) newSums(*model.Model) wingSums { return &hazardSums{} }

func (hazardsWing) sumLosses(w *worker, b *batch) error {
	t := w.own.(*hazardSums)
	for r := range b.rows {
		one := &b.rows[r]
		w.addLosses(one, func(p *role, f, rough float64) {
			alpha := 0.0
			if one.support >= 0 {
				alpha = w.m.Alpha[one.support]
			}
			t.rows = append(t.rows, hazardRow{p.y, p.cost / w.m.C, f, rough, alpha})
		})
	}
	return nil
}

// hazardRow is a row of the data with its weight and decision value, what that may be off by, and its dual variable.
type hazardRow struct{ time, weight, f, rough, alpha float64 }

// hazardSums are the rows, of which the loss is not a sum.
type hazardSums struct {
	rows []hazardRow
	// off is the largest distance of a dual variable from the response to u, in units of C and of the weight of the row, or of the
	// mean weight if that is larger.
	off float64
	// steps has the logarithm of the baseline hazard of the decision values at each time of events, the latest first.
	steps []hazardStep
}

// hazardStep is a time of events: the rows with the event and their mean weight, the logarithm of the sum of w exp f over the rows at
// risk, the part in it of the rows with the event, and the logarithm of the cumulative hazard.
type hazardStep struct {
	from, to                            int
	mean, logRisk, dyingPart, logHazard float64
}

func (t *hazardSums) addSums(o wingSums) { t.rows = append(t.rows, o.(*hazardSums).rows...) }

func (t *hazardSums) visit(v visitor) {
	n := len(t.rows)
	v.count(&n)
	for len(t.rows) < n {
		t.rows = append(t.rows, hazardRow{})
	}
	for i := range t.rows {
		r := &t.rows[i]
		for _, x := range []*float64{&r.time, &r.weight, &r.f, &r.rough, &r.alpha} {
			v(x)
		}
	}
}

// finish puts the loss in the sums of the only classifier, and returns the linear part of the dual value.
func (t *hazardSums) finish(m *model.Model, sums *totals) (lin float64) {
	// Latest first, as rows come to be at risk. At the time of an event the rows that are censored come first.
	slices.SortStableFunc(t.rows, func(a, b hazardRow) int {
		return cmp.Or(cmp.Compare(math.Abs(b.time), math.Abs(a.time)), cmp.Compare(a.time, b.time))
	})
	f, mean := make([]float64, len(t.rows)), 0.0
	for i, r := range t.rows {
		f[i] = r.f
		mean += r.weight / float64(len(t.rows))
	}
	value, expected, steps := t.partial(f)
	t.steps = steps
	l := &sums.losses[0]
	l.sum.add(m.C * value)
	for i, r := range t.rows {
		slope := expected[i]
		if r.time > 0 {
			slope += r.weight
		}
		l.slack.add(2 * m.C * slope * r.rough)
	}
	u := t.inverse(m)
	value, expected, _ = t.partial(u)
	var all neumaier
	all.add(m.C * value)
	for i, r := range t.rows {
		all.add(r.alpha * u[i])
		t.off = max(t.off, math.Abs(r.expected(m.C)-expected[i])/max(r.weight, mean))
	}
	return all.value()
}

// expected is the number of events that is expected of a row by its dual variable.
func (r *hazardRow) expected(c float64) float64 {
	if r.time > 0 {
		return r.weight - r.alpha/c
	}
	return -r.alpha / c
}

// leastExpected takes the place of 0, of which there is no logarithm.
const leastExpected = 1e-300

// inverse returns the values u of which the dual variables are the response. The sum of exp u over all rows at risk of the first
// event is 1. The hazard up to a time, times the sum over the rows at risk of the next one, is what the rows before that have of
// events beyond what is expected of them.
func (t *hazardSums) inverse(m *model.Model) []float64 {
	u := make([]float64, len(t.rows))
	var left neumaier // events less expected events of the rows before
	logRisk, hazard := 0.0, 0.0
	set := func(i int, logHazard float64) {
		q := max(t.rows[i].expected(m.C), leastExpected)
		u[i] = math.Log(q/t.rows[i].weight) - logHazard
		left.add(t.rows[i].alpha / m.C)
	}
	var groups [][2]int
	t.eachTime(func(from, to int) { groups = append(groups, [2]int{from, to}) })
	for k := len(groups) - 1; k >= 0; k-- {
		from, to := groups[k][0], groups[k][1]
		before, d, died := hazard, float64(to-from), 0.0
		for i := from; i < to; i++ {
			died += max(t.rows[i].expected(m.C), 0)
		}
		mean := t.meanWeight(from, to)
		// What is expected of the rows with the event grows with their share x of the sum over the rows at risk.
		own := func(x float64) (events, all float64) {
			events, all = before, before
			for l := range to - from {
				share := float64(l) / d
				events, all = events+mean*(1-share)/(1-share*x), all+mean/(1-share*x)
			}
			return events, all
		}
		low, high := 0.0, 1.0
		for range 100 {
			x := low + (high-low)/2
			if events, _ := own(x); events*x < died {
				low = x
			} else {
				high = x
			}
		}
		events, all := own(high)
		for i := from; i < to; i++ {
			set(i, math.Log(events)-logRisk)
		}
		next := 0
		if k > 0 {
			next = groups[k-1][1]
		}
		for i := from - 1; i >= next; i-- {
			set(i, math.Log(all)-logRisk)
		}
		hazard = max(left.value(), leastExpected)
		logRisk += math.Log(hazard / all)
	}
	return u
}

// responds is the largest distance of a dual variable from the response that rounding may make, in units of C.
const responds = 1e-7

func (w hazardsWing) judge(p *judgement) *finding {
	t, f := p.wingSums.(*hazardSums), &p.findings[0].faults
	if !(t.off <= responds) {
		f.add("response", "dual variables that are the response to no function: one is off by %.3g C", t.off)
	}
	w.checkBaseline(p.m, t, f)
	return w.plainWing.judge(p)
}

// checkBaseline compares the bias and the baseline hazard of a model with the decision values of its rows.
func (hazardsWing) checkBaseline(m *model.Model, t *hazardSums, faults *faults) {
	mean, rough, size := 0.0, 0.0, 0.0
	for _, r := range t.rows {
		mean += r.f / float64(len(t.rows))
		rough, size = max(rough, r.rough), max(size, math.Abs(r.f))
	}
	if !(math.Abs(mean) <= rough+baselineSlack*max(1, size)) {
		faults.add("bias", "the mean of the decision values is %.3g, and is to be 0", mean)
	}
	given := &m.Baseline
	if len(t.steps) != len(given.Times) {
		faults.add("baseline", "%d times of events, and the model has %d", len(t.steps), len(given.Times))
		return
	}
	for k, is := range given.LogHazards {
		s := t.steps[len(t.steps)-1-k]
		if time := t.rows[s.from].time; time != given.Times[k] || !(math.Abs(is-s.logHazard) <= rough+baselineSlack*max(1, size)) {
			faults.add("baseline", "the logarithm of the baseline hazard up to time %g is %.10g, and the model has %.10g up to %g", time,
				s.logHazard, is, given.Times[k])
			return
		}
	}
}

// baselineSlack is a share of the decision values that is conceded to them beside rounding: the training has summed them in
// another order.
const baselineSlack = 1e-6

// eachTime visits the times of events, latest first: the rows with the event, and the number of rows at risk, which are the first
// ones.
func (t *hazardSums) eachTime(visit func(from, to int)) {
	for i := 0; i < len(t.rows); {
		to := i
		for to < len(t.rows) && t.rows[to].time == t.rows[i].time {
			to++
		}
		if t.rows[i].time > 0 {
			visit(i, to)
		}
		i = to
	}
}

// meanWeight returns the mean weight of some rows.
func (t *hazardSums) meanWeight(from, to int) (mean float64) {
	for _, r := range t.rows[from:to] {
		mean += r.weight / float64(to-from)
	}
	return mean
}

// partial returns L(f), the number of events that is expected of each row, and the times of events, the latest first.
func (t *hazardSums) partial(f []float64) (value float64, expected []float64, steps []hazardStep) {
	var sum, risk neumaier
	reached := 0
	scale := math.Inf(-1) // the largest value of the rows at risk
	t.eachTime(func(from, to int) {
		level := scale
		for ; reached < to; reached++ {
			level = max(level, f[reached])
			if level > scale {
				// The sum changes its unit.
				value := 0.0
				if !math.IsInf(scale, -1) {
					value = risk.value() * math.Exp(scale-level)
				}
				risk, scale = neumaier{}, level
				risk.add(value)
			}
			risk.add(t.rows[reached].weight * math.Exp(f[reached]-scale))
		}
		dying := 0.0
		for i := from; i < to; i++ {
			dying += t.rows[i].weight * math.Exp(f[i]-scale)
			sum.add(-t.rows[i].weight * f[i])
		}
		s := hazardStep{from, to, t.meanWeight(from, to), scale + math.Log(risk.value()), dying / risk.value(), 0}
		d := float64(to - from)
		for l := range to - from {
			sum.add(s.mean * (s.logRisk + math.Log1p(-float64(l)/d*s.dyingPart)))
		}
		steps = append(steps, s)
	})
	// Hazards add up from the first time to the last: a row has the hazards at all times at which it is at risk. logHazard is their
	// logarithm, so none overflows.
	expected = make([]float64, len(f))
	logHazard, end := math.Inf(-1), len(f)
	for k := len(steps) - 1; k >= 0; k-- {
		s := &steps[k]
		// Rows between this time and the earlier one have the hazards up to the earlier one.
		for i := s.to; i < end; i++ {
			expected[i] = t.rows[i].weight * math.Exp(f[i]+logHazard)
		}
		d, own := float64(s.to-s.from), math.Exp(logHazard+s.logRisk)
		all := own
		for l := range s.to - s.from {
			share := float64(l) / d
			left := 1 - share*s.dyingPart
			all, own = all+s.mean/left, own+s.mean*(1-share)/left
		}
		for i := s.from; i < s.to; i++ {
			expected[i] = t.rows[i].weight * own * math.Exp(f[i]-s.logRisk)
		}
		logHazard, end = math.Log(all)-s.logRisk, s.from
		s.logHazard = logHazard
	}
	for i := range end {
		expected[i] = t.rows[i].weight * math.Exp(f[i]+logHazard)
	}
	return sum.value(), expected, steps
}
