package main

import (
	"math"
	"slices"
)

// ratio returns a/b, or 0 if b is 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// difference returns the difference of two numbers relative to the larger magnitude.
func difference(a, b float64) float64 { return ratio(math.Abs(a-b), max(math.Abs(a), math.Abs(b))) }

// medianOf sorts the list and returns its median, or 0 if it is empty.
func medianOf(list []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}
