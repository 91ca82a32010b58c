package simd

import "math"

// These routines are the inner loops of a quadratic problem in which pairs of coordinates move, one
// up and one down by as much (Fan, Chen and Lin, "Working set selection using second order
// information", JMLR 6, 2005). They round as plain Go does where it does not fuse, and give the same
// bits at every level. What is not a number is passed over.

// pairLanes is the most lanes that a vector has. Assembly takes a multiple of them.
const pairLanes = 8

// SteepestUp returns the first place of the largest gain[k]+grow[k], that number, and the smallest
// gain[k]+shrink[k]. Without a number above -inf the place is -1.
func SteepestUp(gain, grow, shrink []float64) (up int, best, worst float64) {
	n := len(gain)
	check(len(grow) == n && len(shrink) == n, "SteepestUp")
	l := newLanes()
	whole := n / pairLanes * pairLanes
	extremes(&l, gain[:whole], grow, shrink)
	up, best = l.best()
	worst = l.smallest()
	for k := whole; k < n; k++ {
		if v := gain[k] + grow[k]; v > best {
			up, best = k, v
		}
		if v := gain[k] + shrink[k]; v < worst {
			worst = v
		}
	}
	return up, best, worst
}

// BestPartner returns the first place of the largest rise^2/curvature above 0, where
//
//	rise = best - (gain[k] + shrink[k]),  curvature = own + diagonal[k] - 2 row[k], at least least,
//
// of the places with rise above 0. It is -1 if there is none.
func BestPartner(gain, shrink, diagonal, row []float64, best, own, least float64) (down int) {
	n := len(gain)
	check(len(shrink) == n && len(diagonal) == n && len(row) == n, "BestPartner")
	l := newLanes()
	clear(l.value[:])
	whole := n / pairLanes * pairLanes
	partner(&l, gain[:whole], shrink, diagonal, row, best, own, least)
	down, most := l.best()
	for k := whole; k < n; k++ {
		if v := pairGain(gain[k], shrink[k], diagonal[k], row[k], best, own, least); v > most {
			down, most = k, v
		}
	}
	return down
}

// pairGain is what a pair gains, or 0 if it does not. The conversion keeps a sum from being fused.
func pairGain(gain, shrink, diagonal, row, best, own, least float64) float64 {
	rise := max(best-(gain+shrink), 0)
	curve := max(own+diagonal-(row+row), least)
	return float64(rise*rise) / curve
}

// MovePair subtracts step*(a[k]-b[k]) from gain[k].
func MovePair(gain, a, b []float64, step float64) {
	n := len(gain)
	check(len(a) == n && len(b) == n, "MovePair")
	whole := n / pairLanes * pairLanes
	movePair(gain[:whole], a, b, step)
	movePairGo(gain[whole:], a[whole:], b[whole:], step)
}

// laneBests holds, for every lane, the greatest number so far, its place, and the least of others.
type laneBests struct {
	value, place, least [pairLanes]float64
}

// newLanes returns lanes that have seen nothing.
func newLanes() (l laneBests) {
	for i := range l.value {
		l.value[i], l.place[i], l.least[i] = math.Inf(-1), -1, math.Inf(1)
	}
	return l
}

// best returns the greatest number of all lanes and its first place.
func (l *laneBests) best() (place int, value float64) {
	at := 0
	for i, v := range l.value {
		if v > l.value[at] || v == l.value[at] && l.place[i] >= 0 &&
			(l.place[at] < 0 || l.place[i] < l.place[at]) {
			at = i
		}
	}
	return int(l.place[at]), l.value[at]
}

// smallest returns the least number of all lanes.
func (l *laneBests) smallest() float64 {
	least := l.least[0]
	for _, v := range l.least {
		least = min(least, v)
	}
	return least
}
