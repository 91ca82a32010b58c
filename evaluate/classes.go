package evaluate

import (
	"fmt"
	"math"
)

// MCC is the correlation coefficient of Matthews, of any number of classes (Gorodkin, eq. 8): 1 where all is right, 0 where predictions
// say nothing about the classes. It is NaN where all predictions or all rows are of one class.
func MCC[T comparable](predicted, known []T) float64 {
	if len(predicted) != len(known) {
		panic(fmt.Sprintf("evaluate: %d predictions for %d rows", len(predicted), len(known)))
	}
	p, t, right := map[T]float64{}, map[T]float64{}, 0.0
	for i, k := range known {
		p[predicted[i]]++
		t[k]++
		if predicted[i] == k {
			right++
		}
	}
	// Integers, which a float64 keeps exactly up to 9e15: sums over maps have no order.
	n, both, pp, tt := float64(len(known)), 0.0, 0.0, 0.0
	for c, x := range p {
		both += x * t[c]
		pp += x * x
	}
	for _, x := range t {
		tt += x * x
	}
	if pp == n*n || tt == n*n {
		return math.NaN()
	}
	return (right*n - both) / (math.Sqrt(n*n-pp) * math.Sqrt(n*n-tt))
}

// Counts is what became of the rows of a class, or of a label.
type Counts struct {
	Known, Predicted int // rows that have it, and that are predicted to
	Right            int // rows that do both
}

// Tally counts for each class from 0. Numbers that are no class below that count nowhere, though the other one of their row does.
func Tally(predicted, known []int32, classes int) []Counts {
	if len(predicted) != len(known) {
		panic(fmt.Sprintf("evaluate: %d predictions for %d rows", len(predicted), len(known)))
	}
	c := make([]Counts, classes)
	in := func(k int32) bool { return k >= 0 && int(k) < classes }
	for i, k := range known {
		p := predicted[i]
		if in(k) {
			c[k].Known++
		}
		if in(p) {
			c[p].Predicted++
			if p == k {
				c[k].Right++
			}
		}
	}
	return c
}

// Precision is the share of the predictions that are right.
func (c Counts) Precision() float64 { return float64(c.Right) / float64(c.Predicted) }

// Recall is the share of the rows that are found.
func (c Counts) Recall() float64 { return float64(c.Right) / float64(c.Known) }

// F1 is the harmonic mean of precision and recall.
func (c Counts) F1() float64 { return 2 * float64(c.Right) / float64(c.Known+c.Predicted) }

// MacroF1 is the mean of F1 over the classes that occur, known or predicted.
func MacroF1(all []Counts) float64 {
	sum, n := 0.0, 0
	for _, c := range all {
		if c.Known+c.Predicted > 0 {
			sum += c.F1()
			n++
		}
	}
	return sum / float64(n)
}

// MicroF1 is F1 of all classes taken together.
func MicroF1(all []Counts) float64 {
	var s Counts
	for _, c := range all {
		s.Known, s.Predicted, s.Right = s.Known+c.Known, s.Predicted+c.Predicted, s.Right+c.Right
	}
	return s.F1()
}
