package model

import (
	"slices"

	"bigmkl/internal/fail"
)

// These are the lengths of one classifier's row in the tensors machine_classes and machine_numbers.
const (
	// The row holds positive class, negative class, precision, and number of support vectors.
	classifierClasses = 4
	// The row holds bias, primal, dual and relative gap.
	classifierNumbers = 4
)

// packed holds all classifiers as tensors. Arrays of the same name are concatenated in the order of
// the classifiers.
type packed struct {
	classes, support            []int32
	numbers, theta, norms, dual []float64
	// sigmoids holds A and B of each sigmoid, also in a model of one classifier.
	sigmoids  []float64
	conformal Conformal // its arrays
	// ruleSums holds the sums of a rule for weights, also in a model of one classifier.
	ruleSums []float64
	// sparse holds the support vectors by their non-zeros, also in a model of one classifier.
	sparse Sparse
	// centre holds the rows at whose mean kernels are centred, and centreSparse their non-zeros.
	centre       Centre
	centreSparse Sparse
	// means holds the class means of a discriminant.
	means []float64
	// family holds the arrays of a family, also in a model of one classifier.
	family []familyArray
}

// packClassifiers returns the tensors of the classifiers of a model.
func packClassifiers(m *Model) *packed {
	p := &packed{family: m.Family.arrays(), means: m.Discriminant.means()}
	if m.Sparse != nil {
		p.sparse = *m.Sparse.alone()
	}
	if m.Centre != nil {
		p.centre = *m.Centre
		if m.Centre.Sparse != nil {
			p.centreSparse = *m.Centre.Sparse
		}
	}
	if m.WeightRule != nil {
		p.ruleSums = m.WeightRule.Sums
	}
	if m.Conformal != nil {
		p.conformal = *m.Conformal
	}
	for _, s := range m.Sigmoids {
		p.sigmoids = append(p.sigmoids, s.A, s.B)
	}
	if m.Several() { // The tensors exist even without support vectors.
		p.support, p.dual = []int32{}, []float64{}
	}
	for i := range m.Classifiers {
		a := &m.Classifiers[i]
		double := int32(0)
		if a.Double {
			double = 1
		}
		p.classes = append(p.classes, a.Positive, a.Negative, double, int32(len(a.Support)))
		p.numbers = append(p.numbers, a.Bias, a.Certificate.Primal, a.Certificate.Dual,
			a.Certificate.RelativeGap)
		p.theta, p.norms = append(p.theta, a.Theta...), append(p.norms, a.WNorms...)
		p.dual, p.support = append(p.dual, a.Alpha...), append(p.support, a.Support...)
	}
	return p
}

// unpackClassifiers sets the classifiers of a model from the tensors. The certificates are theirs,
// without values.
func unpackClassifiers(m *Model, p *packed, certificates []Certificate) error {
	count := len(p.classes) / classifierClasses
	kernels := 0
	if count > 0 {
		kernels = len(p.theta) / count
	}
	if count == 0 || len(p.classes) != count*classifierClasses ||
		len(p.numbers) != count*classifierNumbers || len(p.theta) != count*kernels ||
		len(p.norms) != len(p.theta) || len(p.dual) != len(p.support) || len(certificates) != count {
		return fail.New(fail.Corrupt, "the classifiers do not fit together")
	}
	if len(p.dual) == 0 {
		p.dual, p.support = []float64{}, []int32{}
	}
	at := 0
	m.Classifiers = make([]Classifier, 0, count)
	for i := range count {
		c, x := p.classes[i*classifierClasses:], p.numbers[i*classifierNumbers:]
		n := int(c[3])
		if n < 0 || n > len(p.support)-at || c[2] < 0 || c[2] > 1 {
			return fail.New(fail.Corrupt, "classifier %d has %d support vectors", i, n)
		}
		own := certificates[i]
		own.Primal, own.Dual, own.RelativeGap = x[1], x[2], x[3]
		m.Classifiers = append(m.Classifiers, Classifier{
			Positive: c[0], Negative: c[1], Double: c[2] == 1,
			Theta:  slices.Clip(p.theta[i*kernels : (i+1)*kernels]),
			WNorms: slices.Clip(p.norms[i*kernels : (i+1)*kernels]),
			Bias:   x[0], Support: slices.Clip(p.support[at : at+n]),
			Alpha:       slices.Clip(p.dual[at : at+n]),
			Certificate: own,
		})
		at += n
	}
	if at != len(p.support) {
		return fail.New(fail.Corrupt, "dual variables of no classifier")
	}
	return nil
}
