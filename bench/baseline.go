package main

import (
	"fmt"
	"math"
	"slices"

	"bigmkl"
	"bigmkl/chunking"
)

// The thesis's comparison methods, for p = 1, as rules for the weights: the support vector machines between are those of this program,
// warm-started, and so is the certificate. What is compared is the method and not who wrote it.

// baselines are the solvers that are there to compare with, beside those of the library.
var baselines = map[string]func(kernels int) chunking.Rule{
	"simplemkl":  func(int) chunking.Rule { return &simpleMKL{} },
	"hessianmkl": func(int) chunking.Rule { return &hessianMKL{} },
}

// setSolver sets a solver of the library or one of the baselines.
func setSolver(o *bigmkl.Options, name string) error {
	rule, ok := baselines[name]
	switch {
	case !ok:
		o.Solver = name
	case o.Norm != 1:
		return fmt.Errorf("%s is for p = 1", name)
	default:
		o.Rule = rule
	}
	return nil
}

// solved is the share of the distance that the gap of a support vector machine may be.
const solved = 0.1

// vectorMachine is what both have in common: a full support vector machine for every evaluation.
type vectorMachine struct{}

// Ready implements chunking.Rule.
func (vectorMachine) Ready(at *chunking.Point) bool {
	return at.Stuck || at.Gap <= solved*max(at.Distance, at.Goal)
}

// line searches J along a direction by its slopes, which fall out of an evaluation as the values do and tell more: J is convex.
type line struct {
	from, direction []float64
	longest         float64
	first           float64    // slope at the start, below 0
	bracket         [2]float64 // lengths between which the minimum is
	slopes          [2]float64
	at              float64 // of the present evaluation
	tries           int
}

const (
	flat      = 0.1 // share of the first slope that is little enough
	mostTries = 12
)

// slope of J along d.
func slope(d, v []float64) float64 {
	s := 0.0
	for m, x := range d {
		s -= x * max(v[m], 0) / 2
	}
	return s
}

// start gives the far end in theta. false: d does not descend.
func (l *line) start(from, d, v []float64, longest float64, theta []float64) bool {
	*l = line{from: slices.Clone(from), direction: d, longest: longest, first: slope(d, v), at: longest}
	l.slopes[0], l.bracket[1] = l.first, longest
	if !(l.first < 0) || !(longest > 0) {
		return false
	}
	l.point(theta)
	return true
}

// point gives the weights at the present length.
func (l *line) point(theta []float64) {
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

// next takes V at the present length and gives the next weights in theta, or reports that the present ones will do.
func (l *line) next(v, theta []float64) (more bool) {
	s := slope(l.direction, v)
	l.tries++
	if l.at == l.longest && s <= 0 || math.Abs(s) <= -flat*l.first || l.tries > mostTries {
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
	l.point(theta)
	return true
}
