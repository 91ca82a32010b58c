package budget

import (
	"bigmkl/chunking"
	"bigmkl/gradient"
	"bigmkl/kernels"
)

// A step of all points cannot be cut, and a run that is interrupted has to end in time. These are the largest numbers of
// points of such a step. A loss with a tube needs half of the factorisations, and so may have more points. Of many groups of
// kernels each range sums to a matrix of its own, and all matrices of a step of so many points take 450 MiB.
const (
	wholePoints   = 3520
	wholeOfTube   = 5048
	wholeOfRanges = 2464
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
	most := wholePoints
	switch {
	case gradient.InRanges(l.bank):
		most = wholeOfRanges
	case r.Tube:
		most = wholeOfTube
	}
	if l.n > most {
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
