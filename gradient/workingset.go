package gradient

import (
	"slices"

	"bigmkl/kernels"
)

// workingSet is the points of a working set with their features.
type workingSet struct {
	index  []int
	points *kernels.Set
	delta  []float64 // change of each point's dual variable; nil: there is none
}

// collect returns the points with the given numbers as a working set.
//
// Features of dense points are copied, which takes a cache line for each feature of each point: a
// point is a column of its panel. Those of sparse points are views.
func collect(points kernels.Points, set []int) *workingSet {
	s := &workingSet{index: slices.Clone(set), points: &kernels.Set{}}
	s.points.Gather(points, numbersOf(set))
	return s
}

// changed returns the points of the set whose delta is not zero, with their delta. A point that
// has not moved would cost a row of every kernel and change nothing.
func (s *workingSet) changed(delta []float64) *workingSet {
	// If all points have moved the features are shared and not copied.
	if !slices.Contains(delta, 0) {
		return &workingSet{index: s.index, points: s.points, delta: delta}
	}
	r := &workingSet{points: &kernels.Set{}}
	var places []int
	for i, x := range delta {
		if x != 0 {
			places = append(places, i)
			r.delta, r.index = append(r.delta, x), append(r.index, s.index[i])
		}
	}
	r.points.Select(s.points, places)
	return r
}

// panels is the number of panels that the set makes.
func (s *workingSet) panels() int { return panelsOf(len(s.index)) }

// support lists the points whose dual variable is not 0, in ascending order.
func support(alpha []float64) []int {
	var r []int
	for i, a := range alpha {
		if a != 0 {
			r = append(r, i)
		}
	}
	return r
}

// balanced lists the support vectors in an order in which the sum of alpha stays near 0 on the way.
// Where a kernel is nearly constant, the terms of sum_i alpha_i k(x_i, x) cancel, and the rounding
// of the sum is in proportion to its largest partial sum. That would be large if all points of one
// class came first.
func balanced(alpha []float64) []int {
	var signs [2][]int // of negative dual variables, of positive ones
	for _, i := range support(alpha) {
		k := 0
		if alpha[i] > 0 {
			k = 1
		}
		signs[k] = append(signs[k], i)
	}
	order, sum := make([]int, 0, len(signs[0])+len(signs[1])), 0.0
	for len(order) < cap(order) {
		k := 0
		if len(signs[0]) == 0 || sum <= 0 && len(signs[1]) > 0 {
			k = 1
		}
		i := signs[k][0]
		signs[k] = signs[k][1:]
		order, sum = append(order, i), sum+alpha[i]
	}
	return order
}

// sum adds numbers up in their order.
func sum(numbers []float64) float64 {
	s := 0.0
	for _, x := range numbers {
		s += x
	}
	return s
}

// numbersOf returns numbers of points as sets have them.
func numbersOf(set []int) []int32 {
	ids := make([]int32, len(set))
	for k, i := range set {
		ids[k] = int32(i)
	}
	return ids
}
