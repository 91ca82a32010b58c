package verify

import (
	"math"

	"bigmkl/model"
)

// checkStationarity holds the stationarity of the gates of a classifier to their slope.
func (p *judgement) checkStationarity(m *classifier, number int32, t []slopeTotals, f *faults) {
	if p.gated() {
		set := p.gates.of(number)
		p.gates[set].checkStationarity(m, &t[set], f)
	}
}

// sharesGates reports whether several classifiers have one set of gates that were learned. One
// classifier for all classes is none of several: its columns have one certificate.
func (p *problem) sharesGates() bool {
	return p.m.Several() && len(p.gates) == 1 && !p.classifiers[0].column && p.gates[0].Learned()
}

// checkTogether holds the stationarity of the gates of several classifiers to the sum of their
// slopes, relative to that of their dual values.
func (p *judgement) checkTogether(t []slopeTotals, f *faults) {
	all := classifier{Model: &model.Model{}}
	for k := range p.classifiers {
		m := &p.classifiers[k]
		all.Certificate.Dual += m.Certificate.Dual
		if m.rounding.term >= all.rounding.term {
			all.rounding = m.rounding
		}
	}
	p.gates[0].checkStationarity(&all, &t[0], f)
}

// holds reports whether a parameter of Gaussian gates is at a bound and the slope by it would push it out.
// Coordinates of centres go from -3 to 3, and spreads from 1/2 to 10 times the root of the number of features.
func (g *gates) holds(k int, slope float64) bool {
	if g.Kind != model.GatesGauss {
		return false
	}
	d := len(g.Mean)
	low, high := -3.0, 3.0
	if k%(d+1) == d {
		low, high = math.Log(0.5*math.Sqrt(float64(d))), math.Log(10*math.Sqrt(float64(d)))
	}
	return g.Parameters[k] == low && slope > 0 || g.Parameters[k] == high && slope < 0
}

// checkStationarity holds the stationarity that the model claims to its slope: the length of the
// slope of what was minimised, the decay included, relative to the dual value that it claims.
func (g *gates) checkStationarity(m *classifier, t *slopeTotals, f *faults) {
	if g == nil || !g.Learned() {
		return
	}
	d := len(g.Mean)
	var square, error neumaier
	for k := range t.sums {
		s := t.sums[k].value()
		if k%(d+1) != d {
			s += g.Decay * g.Parameters[k]
		}
		if g.holds(k, s) {
			continue
		}
		off := m.rounding.term*t.sizes[k] + gateRounding*t.full[k]
		square.add(s * s)
		error.add(off * off)
	}
	size := math.Abs(m.Certificate.Dual)
	if size == 0 {
		if g.Stationarity != 0 {
			f.add("stationarity", "the model claims a stationarity of %.6g where its dual value is 0",
				g.Stationarity)
		}
		return
	}
	own, off := math.Sqrt(square.value())/size, math.Sqrt(error.value())/size
	if !(math.Abs(g.Stationarity-own) <= conceded*own+off) {
		f.add("stationarity", "the gates are claimed to be stationary to %.6g, these data give %.6g",
			g.Stationarity, own)
	}
}
