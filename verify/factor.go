package verify

import (
	"math"

	"bigmkl/model"
)

// factorCheck is what is known of the factor of a kernel.
type factorCheck struct {
	kernel             int32
	variance, diagonal float64
	rough              float64 // of the values: their magnitude, see there,
	widths             float64 // and how much more often they are rounded where distances come from norms
	summed             float64 // what the variance is summed of, in absolute values
}

// hold holds the factor to the variance.
func (c *factorCheck) check(m *model.Model, f *faults) {
	scale, unit, norms := m.Normalization.Scale[c.kernel], inSingle, normsInSingle
	wide := m.Precision == "64" || m.Precision == "auto" && (m.Gap < 1e-4 || m.Norm > 2 || m.GroupNorm > 2)
	if wide || scale == 0 || 1/scale < recomputed*(1-conceded)*math.Abs(c.diagonal) {
		unit, norms = inDouble, normsInDouble
	}
	off := ofFactors * unit * (c.rough*(1+2*min(c.widths, norms)) + c.summed)
	if scale == 0 {
		if c.variance < 0 { // of a kernel that is not definite, or of a sample
			return
		}
		off += vanishing * math.Abs(c.diagonal)
	}
	checkFactor(m, f, c.kernel, c.variance, off)
}

// hold compares what a factor stands for with the variance, which is known within off.
func checkFactor(m *model.Model, f *faults, k int32, variance, off float64) {
	claimed := 0.0 // a kernel without variance has factor 0
	if scale := m.Normalization.Scale[k]; scale > 0 {
		claimed = 1 / scale
	}
	if !(math.Abs(claimed-variance) <= off) {
		f.add("factor", "the factor of kernel %d stands for a variance of %.9g, these data give %.9g", k+1, claimed, variance)
	}
}
