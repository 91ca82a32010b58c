package chunking

import "math"

// The best bias is where the slope of a loss, which grows with the bias, is 0.

// mostBiasSteps bounds the steps to the best bias. Each halves the interval it lies in at the worst,
// and ten are usual.
const mostBiasSteps = 200

// BiasSlope gives the slope of a loss in the bias, and its derivative.
type BiasSlope func(bias float64) (slope, total float64)

// BestBias returns the bias between low and high at which the slope of a loss is 0. Newton's step is exact once it
// stays within a straight piece of the slope, and near the end of a smooth one. Where it leaves the interval the middle
// takes its place.
func BestBias(low, high, bias float64, slopeAt BiasSlope) float64 {
	for range mostBiasSteps {
		slope, total := slopeAt(bias)
		if slope == 0 || math.IsNaN(total) {
			break
		}
		if slope < 0 {
			low = bias
		} else {
			high = bias
		}
		next := bias - slope/total
		if !(next > low && next < high) {
			next = low + (high-low)/2
		}
		if next == bias || next <= low || next >= high {
			break
		}
		bias = next
	}
	return bias
}

// BiasBeyond returns a bias on one side of another, -1 or 1, at which the slope has the sign of that side, or is 0. It
// tries a step first, and then wider ones.
func BiasBeyond(bias, side, step float64, slopeAt BiasSlope) float64 {
	for range mostBiasSteps {
		if slope, _ := slopeAt(bias + side*step); side*slope >= 0 {
			break
		}
		step *= 4
	}
	return bias + side*step
}
