package verify

import (
	"math"
	"slices"

	"bigmkl/dataset"
	"bigmkl/internal/model"
)

// A time of task survival is in an interval. An event with the target t > 0 has both ends at t. A row with the target -l and the upper bound u has
// the ends l and u. 0 and infinity exclude nothing. With the logarithms of the ends,
//
//	loss          2 c tau max(0, log l - f - eps) + 2 c (1 - tau) max(0, f - log u - eps)
//	linear part   alpha log l - eps alpha above 0, and alpha log u + eps alpha below it
//	alpha         -2 c (1 - tau) <= alpha <= 2 c tau, at most 0 without l and at least 0 without u

// logEnds returns the logarithms of both ends of the time of a row.
func logEnds(p *role) (l, u float64) {
	switch {
	case p.y > 0:
		return math.Log(p.y), math.Log(p.y)
	case p.upper == 0:
		return math.Log(-p.y), math.Inf(1)
	}
	return math.Log(math.Abs(p.y)), math.Log(p.upper)
}

// timeLoss returns the loss of a row of task survival at the decision value f.
func timeLoss(m *model.Model, p *role, f float64) float64 {
	l, u := logEnds(p)
	return 2*p.cost*m.Tau*max(0, l-f-m.Epsilon) + 2*p.cost*(1-m.Tau)*max(0, f-u-m.Epsilon)
}

// timeLinear returns the linear part of the dual value of such a row.
func timeLinear(m *model.Model, p *role, a float64) float64 {
	l, u := logEnds(p)
	switch {
	case a > 0:
		return l*a - m.Epsilon*a
	case a < 0:
		return u*a + m.Epsilon*a
	}
	return 0
}

// timeBound returns the largest magnitude of a dual variable of such a row that has the sign of a.
func timeBound(m *model.Model, p *role, a float64) float64 {
	l, u := logEnds(p)
	switch {
	case a > 0 && math.IsInf(l, -1), a < 0 && math.IsInf(u, 1):
		return 0
	case a > 0:
		return 2 * m.Tau * p.cost
	}
	return 2 * (1 - m.Tau) * p.cost
}

// checkCensoring compares the distribution of the times of censoring with that of the rows. The chance of a row to stay is taken time
// by time: of those that are not censored before, and have no event until then, the share that is not censored at it.
func (f *fingerprint) checkCensoring(m *model.Model, faults *faults) {
	if model.Labeling(m.Task) != dataset.Times {
		return
	}
	if m.Censoring.Intervals != (f.uppers != nil) {
		faults.add("censoring", "the model has it that upper bounds of times are there: %t, and in the data it is %t", m.Censoring.Intervals, f.uppers != nil)
	}
	if f.uppers != nil {
		return
	}
	ends, censored, left := map[float64]int{}, map[float64]int{}, len(f.targets)
	var times []float64
	for _, y := range f.targets {
		if t := math.Abs(y); ends[t] == 0 {
			times = append(times, t)
		}
		if ends[math.Abs(y)]++; y < 0 {
			censored[-y]++
		}
	}
	slices.Sort(times)
	chance, k, given := 1.0, 0, &m.Censoring
	for _, t := range times {
		if c := censored[t]; c > 0 {
			risk := left - (ends[t] - c)
			chance *= float64(risk-c) / float64(risk)
			if k >= len(given.Times) || given.Times[k] != t || math.Abs(given.Shares[k]-chance) > censoringSlack {
				faults.add("censoring", "the share of the rows that are not censored up to time %g is %.10g in the data, and the model differs", t, chance)
				return
			}
			k++
		}
		left -= ends[t]
	}
	if k < len(given.Times) {
		faults.add("censoring", "the model has a time of censoring, %g, that no row has", given.Times[k])
	}
}

// censoringSlack is what a million roundings make of a share.
const censoringSlack = 1e-9
