package budget

import "bigmkl/chunking"

// PairBytes is the memory of a pair of points in a loss of pairs: its points, its margin, six numbers of the solver, four copies that the
// measurement of rounding takes, and its part of the model.
const PairBytes = 8 + 8 + 6*8 + 4*8 + 16

// Pairs is a number of pairs of points that have the dual variables, 0 if points have them.
type Pairs int64

// setPoints returns the largest number of points of a working set, of n points.
func (p Pairs) setPoints(t *chunking.Tuning, n int) int {
	if p > 0 {
		return min(n, 2*chunking.PairSet(t, int(p)))
	}
	return t.Size(n)
}
