package harness

import (
	"math"
	"slices"
)

// Ratio returns a/b, or 0 if b is 0.
// 0 stands out in a table, while an infinity would end the writing of JSON.
func Ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// Difference returns the difference of two numbers relative to the larger magnitude.
func Difference(a, b float64) float64 { return Ratio(math.Abs(a-b), max(math.Abs(a), math.Abs(b))) }

// MedianOf sorts the list and returns its median, or 0 if it is empty. An even number of values has the
// mean of the two middle ones.
func MedianOf(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}
