package model

import (
	"math"
	"slices"

	"bigmkl/internal/dataset/labeltext"
)

// Posterior probabilities Pr(+1|x_i) of the training rows take the place of certain labels. The soft
// label of a row is yhat_i = 2 Pr(+1|x_i) - 1 (Gönen 2010, equation 1.12). The dual variable of the
// row is at most C_i / |yhat_i|, which has no bound near a probability of 1/2. One classifier for all
// classes has posteriors of all of them, which are in its margins and leave no row out.

// LeastSoftLabel is the least |yhat_i| of a row that is used: rows whose probability is within
// 0.001 of 1/2 are left out.
const LeastSoftLabel = 0.002

// GivenPosteriors is the source of posteriors that were given and not computed from the data.
const GivenPosteriors = "given"

// SoftLabel returns 2p - 1 for the probability p of the positive class, or 0 if a row of this
// probability is left out.
func SoftLabel(p float64) float64 {
	y := 2*p - 1
	if math.Abs(y) < LeastSoftLabel {
		return 0
	}
	return y
}

// LeftOut counts the posteriors whose rows are left out.
func LeftOut(posteriors []float64) (count int) {
	for _, p := range posteriors {
		if SoftLabel(p) == 0 {
			count++
		}
	}
	return count
}

// IsProbability reports whether p is in [0, 1]. NaN is not.
func IsProbability(p float64) bool { return p >= 0 && p <= 1 }

// posteriorSection is the posteriors of the rows.
type posteriorSection struct{ plainSection }

var _ section = posteriorSection{}

func (posteriorSection) since(m *Model) int { return sinceIf(m.Posteriors != nil, presentVersion) }

func (posteriorSection) tensors(m *Model) []field {
	return []field{{name: "posteriors", f64: &m.Posteriors}}
}

func (posteriorSection) check(m *Model, f *faults) {
	if m.Posteriors == nil && m.PosteriorsOf == "" {
		return
	}
	single := m.Multiclass == SingleClassifier
	f.check(TakesPosteriors(m.Task) && (single || !m.Several()), "posteriors of a class in task %s, %d classifiers",
		clip(m.Task), max(1, len(m.Classifiers)))
	columns := 1
	if single {
		columns = len(m.Classes)
	}
	f.check(len(m.Posteriors) == m.Points*columns, "%d posteriors of %d points", len(m.Posteriors),
		m.Points)
	f.each("posteriors", m.Posteriors, IsProbability, "in [0, 1]")
	f.check(m.PosteriorsOf != "" && labeltext.Printable(m.PosteriorsOf),
		"%s is no source of posteriors", clip(m.PosteriorsOf))
	if single {
		return
	}
	left := func(row int32) bool {
		return int(row) < len(m.Posteriors) && SoftLabel(m.Posteriors[row]) == 0
	}
	if i := slices.IndexFunc(m.Support, left); i >= 0 {
		f.check(false, "row %d is left out by its posterior and a support vector", m.Support[i]+1)
	}
}
