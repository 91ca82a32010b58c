package main

import (
	"math"
	"slices"

	"bigmkl/chunking"
)

// vectorMachine is what both have in common: a full support vector machine for every evaluation.
type vectorMachine struct{}

// Ready implements chunking.Rule.
func (vectorMachine) Ready(at *chunking.Point) bool {
	return at.Stuck || at.Gap <= solvedShare*max(at.Distance, at.Goal)
}

// solved is the share of the distance that the gap of a support vector machine may be.
const solvedShare = 0.1

// line searches J along a direction by its slopes, which fall out of an evaluation as the values do and tell more: J is convex.
type lineSearch struct {
	from, direction []float64
	longest         float64
	first           float64    // slope at the start, below 0
	bracket         [2]float64 // lengths between which the minimum is
	slopes          [2]float64
	at              float64 // of the present evaluation
	tries           int
}

const (
	flatShare = 0.1 // share of the first slope that is little enough
	mostTries = 12
)

// start gives the far end in theta. false: d does not descend.
func (l *lineSearch) startSearch(from, d, v []float64, longest float64, theta []float64) bool {
	*l = lineSearch{from: slices.Clone(from), direction: d, longest: longest, first: slopeAlong(d, v), at: longest}
	l.slopes[0], l.bracket[1] = l.first, longest
	if !(l.first < 0) || !(longest > 0) {
		return false
	}
	l.setWeights(theta)
	return true
}

// next takes V at the present length and gives the next weights in theta, or reports that the present ones will do.
func (l *lineSearch) nextPoint(v, theta []float64) (more bool) {
	s := slopeAlong(l.direction, v)
	l.tries++
	if l.at == l.longest && s <= 0 || math.Abs(s) <= -flatShare*l.first || l.tries > mostTries {
		return false
	}
	if s < 0 {
		l.bracket[0], l.slopes[0] = l.at, s
	} else {
		l.bracket[1], l.slopes[1] = l.at, s
	}
	length := l.bracket[1] - l.bracket[0]
	share := l.slopes[0] / (l.slopes[0] - l.slopes[1])
	l.at = l.bracket[0] + length*min(max(share, 0.05), 0.95)
	l.setWeights(theta)
	return true
}

// point gives the weights at the present length.
func (l *lineSearch) setWeights(theta []float64) {
	sum := 0.0
	for m, x := range l.from {
		theta[m] = max(0, x+l.at*l.direction[m])
		if l.direction[m] < 0 && l.at >= -x/l.direction[m] {
			theta[m] = 0
		}
		sum += theta[m]
	}
	for m := range theta {
		theta[m] /= sum
	}
}

// slope of J along d.
func slopeAlong(d, v []float64) float64 {
	s := 0.0
	for m, x := range d {
		s -= x * max(v[m], 0) / 2
	}
	return s
}
