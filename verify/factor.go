package verify

import (
	"math"

	"bigmkl/internal/model"
)

// factorCheck holds the figures of the rows for the factor of one kernel.
type factorCheck struct {
	kernel             int32
	variance, diagonal float64 // the variance, and the mean of k(x,x)

	// rough is the mean magnitude of the kernel's values. widths is how many times as much they are
	// rounded where distances come from norms and inner products.
	rough, widths float64

	summed float64 // the sum of the absolute values of the terms of the variance
	least  float64 // by how much the variance may differ whatever the arithmetic was
	points float64 // the points whose pairs were summed
	trial  bool    // the factor may belong to a trial, which is solved to another gap than the model has
}

// check compares the factor with the variance, and adds a fault to f if they differ by more than
// ofFactors roundings of the values and of their sum, in the arithmetic in which training
// computed it. A factor of 0 means a kernel without variance, or for an indefinite one whose
// variance is negative.
func (c *factorCheck) check(m *model.Model, f *faults) {
	scale, unit, norms := m.Normalization.Scale[c.kernel], inSingle, normsInSingle
	// These are the cases in which training computes factors in double precision.
	sharp := m.Gap < 1e-4 && !c.trial
	wide := m.Precision == "64" || m.Precision == "auto" && (sharp || m.Norm > 2 || m.GroupNorm > 2)
	if wide || scale == 0 || 1/scale < recomputed*(1-conceded)*math.Abs(c.diagonal) {
		// The sums are in double precision, too: those of equal values, as of a feature that has few, are
		// rounded the same way again and again.
		unit, norms = inDouble*(1+c.points/longSum), normsInDouble
	}
	off := max(c.least, ofFactors*unit*(c.rough*(1+2*min(c.widths, norms))+c.summed))
	if scale == 0 {
		// The variance of an indefinite kernel, or one from a sample of pairs, may be negative.
		// Training then takes it for 0.
		if c.variance < 0 {
			return
		}
		off += vanishing * math.Abs(c.diagonal)
	}
	checkFactor(m, f, c.kernel, c.variance, off)
}

// checkFactor adds a fault unless the variance that the factor of kernel k represents, its
// inverse, differs from the variance by off at most.
func checkFactor(m *model.Model, f *faults, k int32, variance, off float64) {
	claimed := 0.0 // the factor of a kernel without variance is 0, not infinite
	if scale := m.Normalization.Scale[k]; scale > 0 {
		claimed = 1 / scale
	}
	if !(math.Abs(claimed-variance) <= off) {
		f.add("factor", "the factor of kernel %d stands for a variance of %.9g, these data give %.9g",
			k+1, claimed, variance)
	}
}
