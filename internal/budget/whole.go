package budget

import (
	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/kernels"
)

// A step of all points cannot be cut, and a run that is interrupted has to end in time. mostWhole bounds the memory of its
// matrices, and with it the time. Up to about 3,600 points have such a step with few groups of kernels, and 1,800 with many, of
// which each range sums to a matrix of its own. Two kinds of steps may take mostWholeMore: steps of up to wholePoints points,
// whose matrices of many groups take little time, and steps for a loss with a tube, which need half of the factorisations.
const (
	mostWhole     = 256 << 20
	mostWholeMore = 512 << 20
	wholePoints   = 2500
)

// largest is the largest step of a run of n points.
type largest struct {
	run  *Run
	n    int
	bank *kernels.Bank
}

// whole returns n if steps of all n points may take the place of working sets, and 0 if not. Every budget gives the same
// answer: the smallest sufficient one has room for the matrices.
func (l largest) whole() int {
	r := l.run
	if !r.Whole || r.QuasiNewton || r.Columns || r.Pairs > 0 || r.Mixture != nil {
		return 0
	}
	most := int64(mostWhole)
	if r.Tube || l.n <= wholePoints {
		most = mostWholeMore
	}
	if chunking.WholeBytes(l.n)+gradient.ModelBytes(l.bank, l.n) > most {
		return 0
	}
	return l.n
}

// points returns the largest number of points that one step changes.
func (l largest) points() int { return max(l.run.Pairs.setPoints(&l.run.Tuning, l.n), l.whole()) }

// bytes returns the memory of the quadratic model of such a step, and of what solves it.
func (l largest) bytes() int64 {
	bytes := chunking.ModelBytes(l.run.Pairs.setPoints(&l.run.Tuning, l.n))
	if whole := l.whole(); whole > 0 {
		bytes = max(bytes, chunking.WholeBytes(whole))
	}
	return bytes
}
