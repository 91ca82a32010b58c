package budget

import (
	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/kernels"
)

// mostWhole bounds the memory of the matrices of a step of all points. Up to about 5,000 points have one with few groups
// of kernels, and 2,500 with many.
const mostWhole = 512 << 20

// whole returns n if steps of all n points may take the place of working sets, and 0 if not. Every budget gives the same
// answer: the smallest sufficient one has room for the matrices.
func (r *Run) whole(n int, b *kernels.Bank) int {
	if !r.Whole || r.QuasiNewton || r.Columns || r.Pairs > 0 || r.Mixture != nil ||
		chunking.WholeBytes(n)+gradient.ModelBytes(b, n) > mostWhole {
		return 0
	}
	return n
}

// mostPoints returns the largest number of points, of n, that one step changes.
func (r *Run) mostPoints(n int, b *kernels.Bank) int {
	return max(r.Pairs.setPoints(&r.Tuning, n), r.whole(n, b))
}

// setBytes returns the memory of the quadratic model of the largest step of n points, and of what solves it.
func (r *Run) setBytes(n int, b *kernels.Bank) int64 {
	bytes := chunking.ModelBytes(r.Pairs.setPoints(&r.Tuning, n))
	if whole := r.whole(n, b); whole > 0 {
		bytes = max(bytes, chunking.WholeBytes(whole))
	}
	return bytes
}
