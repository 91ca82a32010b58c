package model

import (
	"errors"
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

// classifierSection is the weights and the dual variables of a model, or of all of its classifiers.
// Arrays of one name are concatenated then in the order of the classifiers.
type classifierSection struct {
	classes, support            []int32
	numbers, theta, norms, dual []float64
}

var _ section = (*classifierSection)(nil)

func (p *classifierSection) since(m *Model) int {
	return sinceIf(m.Multiclass == SingleClassifier, featuresVersion)
}

func (p *classifierSection) tensors(m *Model) []field {
	theta, norms, alpha := &m.Theta, &m.WNorms, &m.Alpha
	if m.Several() {
		p.pack(m)
		theta, norms, alpha = &p.theta, &p.norms, &p.dual
	}
	return []field{
		{name: "theta", f64: theta},
		{name: "w_norms", f64: norms},
		{name: "alpha", f64: alpha},
		{name: "class_weights", f64: &m.ClassWeights},
		{name: "machine_numbers", f64: &p.numbers},
		{name: "machine_classes", i32: &p.classes},
		{name: "machine_support", i32: &p.support},
	}
}

func (p *classifierSection) join(m *Model, _ *header) error {
	if m.Several() {
		p.theta, p.norms, p.dual = m.Theta, m.WNorms, m.Alpha
		m.Theta, m.WNorms, m.Alpha = nil, nil, nil
		return p.unpack(m)
	}
	if p.numbers != nil || p.classes != nil || p.support != nil || m.Classifiers != nil {
		return errors.New("classifiers of a model of one")
	}
	return nil
}

// pack sets the tensors from the classifiers of a model. They exist even without support vectors.
func (p *classifierSection) pack(m *Model) {
	p.support, p.dual = []int32{}, []float64{}
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
}

// unpack sets the classifiers of a model from the tensors. Their certificates have no values yet.
func (p *classifierSection) unpack(m *Model) error {
	known := m.Classifiers
	count := len(p.classes) / classifierClasses
	kernels := 0
	if count > 0 {
		kernels = len(p.theta) / count
	}
	if count == 0 || len(p.classes) != count*classifierClasses ||
		len(p.numbers) != count*classifierNumbers || len(p.theta) != count*kernels ||
		len(p.norms) != len(p.theta) || len(p.dual) != len(p.support) || len(known) != count {
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
		own := known[i].Certificate
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
