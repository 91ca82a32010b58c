package thesis

import (
	"iter"
	"math"
	"math/rand/v2"

	"bigmkl/bench/internal/harness"
	"bigmkl/dataset"
)

// toyData holds points of the two classes in turns, beginning with the positive class.
// Point i is a vector of toyFeatures values. Its class is classSign(i).
type toyData [][]float64

// toyPoints draws n points. The mean of a class is at the distance toyDistance from the origin for any
// number of informative features, so all scenarios have one Bayes error.
func toyPoints(rng *rand.Rand, informative, n int) toyData {
	// The mean of a class is y rho w / ||w||, where w has as many ones as there are informative features.
	w := trueWeights(informative)
	step := toyDistance / math.Sqrt(float64(informative))
	points := make(toyData, n)
	for i := range points {
		points[i] = make([]float64, toyFeatures)
		for j := range points[i] {
			points[i][j] = classSign(i)*step*w[j] + rng.NormFloat64()
		}
	}
	return points
}

// trueWeights returns the vector w that carries the information.
func trueWeights(informative int) []float64 {
	w := make([]float64, toyFeatures)
	for j := range informative {
		w[j] = 1
	}
	return w
}

// classSign returns the class of point i, 1 or -1.
func classSign(i int) float64 { return float64(1 - 2*(i%2)) }

// rows returns the points as rows of a source.
// All rows share one list of indices, since no feature is left out.
func (d toyData) rows() iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		index := make([]int32, toyFeatures)
		for j := range index {
			index[j] = int32(j)
		}
		for i, x := range d {
			if !yield(dataset.Row{Label: harness.ClassLabel(1 - i%2), Index: index, Value: x}) {
				return
			}
		}
	}
}

// wrong counts the points on the wrong side of the hyperplane.
func (d toyData) wrong(w []float64, bias float64) int {
	count := 0
	for i, x := range d {
		// f(x) = w'x + b.
		f := bias
		for j, v := range x {
			f += w[j] * v
		}
		if (f > 0) != (classSign(i) > 0) {
			count++
		}
	}
	return count
}
