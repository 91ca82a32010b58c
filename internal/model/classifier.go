package model

// Classifier returns classifier k as a model of its own, for the two classes that it separates, or for
// its quantile. The result shares memory with m.
func (m *Model) Classifier(k int) *Model {
	a := &m.Classifiers[k]
	r := *m
	r.Decomposition = Decomposition{}
	if m.Multiclass == Quantiles {
		r.Tau = m.Taus[a.Positive]
	} else {
		r.Positive, r.Negative = m.Classes[a.Positive], m.negativeName(a)
		r.PositiveWeight, r.NegativeWeight = m.classWeight(a.Positive), 1
		if a.Negative != Rest {
			r.NegativeWeight = m.classWeight(a.Negative)
		}
	}
	if m.OneTheta {
		r.Norm, r.Weights = 2, m.Shared()
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
