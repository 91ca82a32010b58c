package evaluate

import (
	"fmt"
	"math"
)

// MCC returns Matthews's correlation coefficient for any number of classes (Gorodkin, eq. 8). It is
// 1 if all predictions are right, and 0 if predictions report nothing about the classes. It is NaN
// if all predictions or all rows have the same class.
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
	// The sums are integers, which a float64 holds exactly up to 9e15, because a sum over a map has
	// no order.
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

// Counts states what became of the rows of a class or a label.
type Counts struct {
	// Known is the number of rows that have it, and Predicted of those that are predicted to.
	Known, Predicted int
	// Right is the number of rows that have it and are predicted to.
	Right int
}

// Tally counts the rows of the classes 0 to classes-1. A number outside of this range is not
// counted, but the other number of its row is.
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

// Precision returns the share of the predictions of the class that are right.
func (c Counts) Precision() float64 { return float64(c.Right) / float64(c.Predicted) }

// Recall returns the share of the rows of the class that are found.
func (c Counts) Recall() float64 { return float64(c.Right) / float64(c.Known) }

// F1 returns the harmonic mean of precision and recall.
func (c Counts) F1() float64 { return 2 * float64(c.Right) / float64(c.Known+c.Predicted) }

// MacroF1 returns the mean of F1 over the classes that occur among known or predicted ones.
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

// MicroF1 returns F1 of the sums of the counts over all classes.
func MicroF1(all []Counts) float64 {
	var s Counts
	for _, c := range all {
		s.Known, s.Predicted, s.Right = s.Known+c.Known, s.Predicted+c.Predicted, s.Right+c.Right
	}
	return s.F1()
}
