package model

import (
	"math"
)

// Classifier returns classifier k as a model of its own, for the two classes that it separates. The
// result shares memory with m.
func (m *Model) Classifier(k int) *Model {
	a := &m.Classifiers[k]
	r := *m
	r.Multiclass, r.Classes, r.ClassWeights, r.Classifiers = "", nil, nil, nil
	r.Positive, r.Negative = m.Classes[a.Positive], negativeName(m, a)
	r.PositiveWeight, r.NegativeWeight = classWeight(m, a.Positive), 1
	if a.Negative != Rest {
		r.NegativeWeight = classWeight(m, a.Negative)
	}
	if m.OneTheta {
		r.OneTheta, r.Norm, r.Weights = false, 2, m.Shared()
	}
	if m.Sigmoids != nil {
		r.Sigmoids = m.Sigmoids[k : k+1 : k+1]
	}
	r.Family = m.Family.wing().ofClassifier(m.Family, k, a.Support)
	r.Double, r.Theta, r.WNorms, r.Bias, r.Alpha, r.Certificate = a.Double, a.Theta, a.WNorms,
		a.Bias, a.Alpha, a.Certificate
	r.Support = make([]int32, len(a.Support))
	for i, s := range a.Support {
		r.Support[i] = m.Support[s]
	}
	r.Vectors, r.Sparse, r.Rows = nil, nil, nil
	if m.Sparse != nil {
		shared := *m.Sparse
		shared.places = a.Support
		r.Sparse = &shared
	} else if m.HasVectors() {
		r.Rows = func(s int, dst []float32) { copy(dst, m.Vector(int(a.Support[s]))) }
	}
	return &r
}

// Worst returns the certificate with the largest gap of all classifiers and the number of its
// classifier. The kind is the kind of the weakest proof of any classifier. If there is one
// certificate for the whole model, it returns that one and -1.
func (m *Model) Worst() (c Certificate, classifier int) {
	c, classifier = m.Certificate, -1
	if m.OneTheta {
		return c, classifier
	}
	kind := "gap"
	for k := range m.Classifiers {
		a := &m.Classifiers[k]
		if classifier < 0 || a.Certificate.RelativeGap > c.RelativeGap {
			c, classifier = a.Certificate, k
		}
		if a.Certificate.Kind != kind {
			kind = a.Certificate.Kind
		}
	}
	if classifier >= 0 {
		c.Kind = kind
	}
	return c, classifier
}

// Shared returns the common weights of classifiers with OneTheta, one for each kernel. A classifier
// itself has no weight for a kernel whose function vanishes.
func (m *Model) Shared() []float64 {
	theta := make([]float64, m.Len())
	for i := range m.Classifiers {
		for k, x := range m.Classifiers[i].Theta {
			theta[k] = max(theta[k], x)
		}
	}
	return theta
}

// Together returns the norm ||w_m|| of each kernel over all classifiers, which is the square root
// of the sum of squares.
func Together(m *Model) []float64 {
	w := make([]float64, m.Len())
	for i := range m.Classifiers {
		for k, x := range m.Classifiers[i].WNorms {
			w[k] = math.Hypot(w[k], x)
		}
	}
	return w
}

// Name returns the names of the classes that classifier k separates.
func (m *Model) Name(k int) string {
	a := &m.Classifiers[k]
	if a.Negative == Rest {
		return m.Classes[a.Positive]
	}
	return m.Classes[a.Positive] + " and " + m.Classes[a.Negative]
}

// negativeName returns the name of what a classifier separates its positive class from.
func negativeName(m *Model, a *Classifier) string {
	if a.Negative == Rest {
		return "rest"
	}
	return m.Classes[a.Negative]
}

func classWeight(m *Model, class int32) float64 {
	if m.ClassWeights == nil {
		return 1
	}
	return m.ClassWeights[class]
}
