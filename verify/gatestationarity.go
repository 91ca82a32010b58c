package verify

import (
	"math"

	"bigmkl/internal/model"
)

// together returns what the stationarity of gates that several classifiers share is relative to: the sum of their dual
// values, with the rounding of the one that is rounded most.
func together(classifiers []classifier) *classifier {
	all := classifier{Model: &model.Model{}}
	for k := range classifiers {
		m := &classifiers[k]
		all.Certificate.Dual += m.Certificate.Dual
		if m.rounding.term >= all.rounding.term {
			all.rounding = m.rounding
		}
	}
	return &all
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
