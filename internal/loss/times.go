package loss

import (
	"math"
)

// A time of an event is known, or one or two bounds of it are. Survival regression compares its logarithm with f_i, and each bound costs on the
// side that it excludes alone (Shivaswamy, Chu and Jansche 2007):
//
//	U_i max(0, log l_i - eps - f_i) + D_i max(0, f_i - log u_i - eps),   l_i <= time <= u_i.
//
// A known time has l_i = u_i. Without a lower bound U_i is 0, and without an upper one D_i. With both, this is the loss of Insensitive
// for y_i in the middle of the logarithms, whose tube is wider by half of their difference.

// side is one of the bounds of a time.
type side uint8

const (
	lower side = 1 << iota
	upper
)

// bounds hold what is not known of times. Each list is nil if all rows have 0 there.
type bounds struct {
	unknown []side    // the bounds that a row lacks
	halves  []float64 // half of the difference of the logarithms of both bounds
}

// lack reports whether row i lacks a bound.
func (b *bounds) lack(i int, s side) bool { return b.unknown != nil && b.unknown[i]&s != 0 }

// half is half of the length of the interval of row i, on the logarithmic scale.
func (b *bounds) half(i int) float64 {
	if b.halves == nil {
		return 0
	}
	return b.halves[i]
}

// NewSurvival is NewQuantile of twice the cost for the logarithms of times, as LogTimes returns them: that of the median is
// NewInsensitive. times and uppers are Row.Target and Row.Upper of the rows; uppers is nil if all are 0. A tube of half-width eps is as wide
// on a logarithmic scale. Where most rows are censored, their median is not known, and the quantile of a smaller share may be.
func NewSurvival(times, uppers []float64, cost float64, weight []float64, eps, tau float64) *Insensitive {
	b := bounds{unknown: make([]side, len(times))}
	if uppers != nil {
		b.halves = make([]float64, len(times))
	}
	for i, t := range times {
		switch {
		case t > 0:
		case uppers == nil || uppers[i] == 0:
			b.unknown[i] = upper
		case t == 0:
			b.unknown[i] = lower
		default:
			b.halves[i] = (math.Log(uppers[i]) - math.Log(-t)) / 2
		}
	}
	return newInsensitive(LogTimes(times, uppers), costs{cost, weight}, 2*tau, 2*(1-tau), eps, b)
}

// LogTimes returns the logarithms of times, for Row.Target and Row.Upper of the rows: of the time or the only bound that is known, or the
// mean of those of both bounds. uppers is nil if all are 0.
func LogTimes(times, uppers []float64) []float64 {
	y := make([]float64, len(times))
	for i, t := range times {
		switch {
		case uppers == nil || uppers[i] == 0:
			y[i] = math.Log(math.Abs(t))
		case t == 0:
			y[i] = math.Log(uppers[i])
		default:
			y[i] = (math.Log(-t) + math.Log(uppers[i])) / 2
		}
	}
	return y
}
