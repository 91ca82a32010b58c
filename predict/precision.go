package predict

import (
	"math"

	"bigmkl/internal/model"
	"bigmkl/kernels"
	"slices"
)

// Training sums k - 1 of exponential kernels that are nearly 1 for all of its pairs of points, and
// may end in single precision where values near 1 have lost all that distinguishes points
// (kernels.Bank.FindWide). Predictions evaluate k, of points that may lie anywhere, so they may
// need double precision where the training did not.

const (
	single = 1.0 / (1 << 24) // what rounding to single precision may do to a number, relative to it
	// showing is the share of a decision that rounding may make up in single precision.
	showing = 1e-3
)

// precision is how precise the kernels of a model have to be.
type precision struct{ *model.Model }

// inDouble reports whether kernels are evaluated in double precision: if training ended in it, or
// if the rounding of exponentials shows in the decisions of a classifier.
func (m precision) inDouble(b *kernels.Bank) bool {
	if m.Double {
		return true
	}
	if m.sumsWhole() {
		return false // whose training sums k as well
	}
	shows := false
	for i := range max(1, len(m.Classifiers)) {
		theta, norms, alpha := m.Theta, m.WNorms, m.Alpha
		if m.Several() {
			theta, norms, alpha = m.Classifiers[i].Theta, m.Classifiers[i].WNorms, m.Classifiers[i].Alpha
		}
		shows = shows || roundingShows(b, m.Normalization.Scale, theta, norms, alpha)
	}
	return shows
}

// sumsWhole reports whether training summed k itself: where dual variables do not sum to 0, and where
// k(x,x) is a part of the decision.
func (m precision) sumsWhole() bool {
	return slices.Contains(model.Uncentred, m.Task) || m.Family.Gates() != nil
}

// roundingShows compares two sizes of a decision without its bias. Its exponentials are rounded as
// if all values were 1: with independent errors that is sum_m theta_m scale_m (sum_i
// alpha_i^2)^(1/2) units. And as alpha'f = sum_m ||w_m||^2 / theta_m, the weighted mean of |f| over
// the support vectors is at least that divided by sum_i |alpha_i|.
func roundingShows(b *kernels.Bank, scale, theta, norms, alpha []float64) bool {
	weight, length, square, sum := 0.0, 0.0, 0.0, 0.0
	for i := range b.Groups {
		g := &b.Groups[i]
		if !g.Members.UnitDiagonal() {
			continue
		}
		for _, k := range g.Members {
			factor := theta[k.ID]
			if scale != nil {
				factor *= scale[k.ID]
			}
			weight += factor
		}
	}
	for id, t := range theta {
		if t > 0 {
			length += norms[id] * norms[id] / t
		}
	}
	for _, a := range alpha {
		square += a * a
		sum += math.Abs(a)
	}
	return single*weight*math.Sqrt(square)*sum > showing*length
}
