package letters

import (
	"math"
	"slices"

	"bigmkl/internal/libsvm"
)

// LIBSVM ends where no pair of dual variables violates the conditions of optimality by more than the
// tolerance e. Its b then lies between the two sides, and the duality gap is at most
//
//	e sum_i C_i
//
// since each row contributes at most e times what its dual variable lacks to the bound that it violates.
// Classes: the primal value is at most sum_i C_i, the value at w = 0 and b = 0. A relative gap of e is thus
// at least as sharp as what LIBSVM guarantees. Regression: the primal value of w = 0 at the median of the
// targets is C sum_i max(0, |y_i - median| - p), so e over the mean of these numbers is as sharp; a
// tolerance counts in units of the targets. One class: with sum alpha = nu n as in LIBSVM, the guarantee is
// e n and the value of a kernel with k(x,x) = 1 at most (nu n)^2 / 2.
//
// A model is trained to a tenth of this gap, which costs little and makes nearly all labels the labels
// of the optimum. Cross-validation prints only an accuracy. Its trainings end at a share of e sum_i
// C_i; see together.share.

const (
	sharper = 0.1
	// leastGap is the smallest gap that a training has to reach: rounding limits every proof.
	leastGap = 1e-8
	// mostGap bounds the gap that follows from a large tolerance.
	mostGap = 0.1
)

// gapOf returns the relative gap of a model of rows of a problem.
func (o *options) gapOf(p *problem, rows []int32) float64 {
	return max(leastGap, o.guaranteed(p, rows)*sharper)
}

// guaranteed returns a relative gap that is at least as sharp as what LIBSVM guarantees.
func (o *options) guaranteed(p *problem, rows []int32) float64 {
	gap := o.tolerance
	switch {
	case o.kind == libsvm.OneClass:
		nu := max(o.nu, 1/float64(len(rows)))
		gap = min(gap, gap*2/(nu*nu*float64(len(rows))))
	case o.kind == libsvm.EpsilonSVR || o.kind == libsvm.NuSVR:
		if scale := meanLoss(p, rows, o.tube); scale > 1 {
			gap /= scale
		}
	}
	return max(leastGap, min(mostGap, gap))
}

// meanLoss returns the mean of max(0, |y - median| - tube). Without it, a tolerance in units of the
// targets could not become a relative gap.
func meanLoss(p *problem, rows []int32, tube float64) float64 {
	y := make([]float64, len(rows))
	for k, i := range rows {
		y[k] = p.target[i]
	}
	slices.Sort(y)
	median, sum := y[len(y)/2], 0.0
	for _, x := range y {
		sum += max(0, math.Abs(x-median)-tube) / float64(len(y))
	}
	return sum
}
