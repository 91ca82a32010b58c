package baseline

import (
	"math"
	"slices"

	"bigmkl/chunking"
)

// vectorMachine is embedded in both baselines, which need a full support vector machine for each
// evaluation of J.
type vectorMachine struct{}

// Ready implements chunking.Rule.
func (vectorMachine) Ready(at *chunking.Point) bool {
	// SimpleMKL and HessianMKL need J at fixed weights, and J is known only as exactly as the support
	// vector machine is solved. A solution that is far more exact than the weights are would be
	// wasted.
	return at.Stuck || at.Gap <= solvedShare*max(at.Distance, at.Goal)
}

// solvedShare is the gap of a support vector machine, relative to the distance of the weights, at
// which it counts as solved.
const solvedShare = 0.1

// lineSearch minimises J along a direction. It uses slopes only, which come with each evaluation
// and are more informative than values, because J is convex.
type lineSearch struct {
	from, direction []float64
	longest         float64
	// first is the slope at the start, which is below 0.
	first float64
	// bracket holds two lengths between which the minimum lies, and slopes the slopes there.
	bracket [2]float64
	slopes  [2]float64
	// at is the length of the current evaluation.
	at    float64
	tries int
}

const (
	// flatShare is the part of the first slope at which a slope counts as flat. A sharper search would
	// spend trainings on a direction that the next step replaces.
	flatShare = 0.1
	// mostTries bounds the trainings of one search: each try is a support vector machine.
	mostTries = 12
)

// startSearch begins at the far end of the direction d, whose weights it writes to theta. It
// returns false if J does not fall along d. The slices from, d and v have a number for each kernel.
func (l *lineSearch) startSearch(from, d, v []float64, longest float64, theta []float64) bool {
	*l = lineSearch{from: slices.Clone(from), direction: d, longest: longest,
		first: slopeAlong(d, v), at: longest}
	// The slope at the far end is not known yet, so the first evaluation is there.
	l.slopes[0], l.bracket[1] = l.first, longest
	if !(l.first < 0) || !(longest > 0) {
		return false
	}
	l.setWeights(theta)
	return true
}

// nextPoint takes V at the current length and writes the next weights to theta. It returns false if
// the current weights are good enough.
func (l *lineSearch) nextPoint(v, theta []float64) (more bool) {
	s := slopeAlong(l.direction, v)
	l.tries++
	// J still falls at the longest step, or is flat enough, or the search takes too long. All three
	// end it.
	if l.at == l.longest && s <= 0 || math.Abs(s) <= -flatShare*l.first || l.tries > mostTries {
		return false
	}
	if s < 0 {
		l.bracket[0], l.slopes[0] = l.at, s
	} else {
		l.bracket[1], l.slopes[1] = l.at, s
	}
	length := l.bracket[1] - l.bracket[0]
	// This is the zero of the line through both slopes (regula falsi). The bounds keep the bracket
	// shrinking from both sides, which the method by itself does not.
	share := l.slopes[0] / (l.slopes[0] - l.slopes[1])
	l.at = l.bracket[0] + length*min(max(share, 0.05), 0.95)
	l.setWeights(theta)
	return true
}

// setWeights writes the weights at the current length to theta. They are scaled to the sum 1.
func (l *lineSearch) setWeights(theta []float64) {
	sum := 0.0
	for m, x := range l.from {
		theta[m] = max(0, x+l.at*l.direction[m])
		// A weight that reaches its bound is exactly 0. Rounding would leave a tiny weight, and its
		// kernel in use.
		if l.direction[m] < 0 && l.at >= -x/l.direction[m] {
			theta[m] = 0
		}
		sum += theta[m]
	}
	for m := range theta {
		theta[m] /= sum
	}
}

// slopeAlong returns the slope of J along d. V_m is alpha' Y K_m Y alpha, so the derivative of J by
// theta_m is -V_m/2.
func slopeAlong(d, v []float64) float64 {
	s := 0.0
	for m, x := range d {
		// By the theorem of Danskin the derivative of J is the partial derivative of the dual value at
		// the best alpha.
		s -= x * max(v[m], 0) / 2
	}
	return s
}
