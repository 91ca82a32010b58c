package predict

import (
	"bigmkl/internal/model"
	"bigmkl/internal/probability"
)

// Estimator returns the probabilities that belong to the decision values of all classifiers. The
// slice is valid until the next call.
type Estimator func(decisions []float64) []float64

// Estimator returns the estimator of a model with sigmoids 1 / (1 + exp(A f + B)), for one goroutine. A task whose decision
// values are the logarithms of odds needs no sigmoids. For one
// classifier it gives both sides of the sigmoid; for one-vs-rest the sigmoids divided by their sum;
// for one-vs-one the probabilities of classes whose pairwise ones come nearest (Wu, Lin and Weng
// 2004); and for labels the sigmoid of each.
func (m *Model) Estimator() Estimator {
	p := make([]float64, max(2, len(m.Classes)))
	sigmoids := m.Sigmoids
	if sigmoids == nil {
		sigmoids = model.OddsSigmoids(&m.Model)
	}
	each := make([]float64, len(sigmoids))
	evaluate := func(decisions []float64) []float64 {
		for k, s := range sigmoids {
			each[k] = s.At(decisions[k])
		}
		return each
	}
	switch m.Multiclass {
	case model.MultiLabel:
		return evaluate
	case model.OneVsRest:
		return func(decisions []float64) []float64 {
			probability.Normalise(p, sigmoids, decisions)
			return p
		}
	case model.OneVsOne:
		c := probability.NewCoupling(len(m.Classes))
		return func(decisions []float64) []float64 {
			c.Couple(p, evaluate(decisions))
			return p
		}
	}
	return func(decisions []float64) []float64 {
		s := sigmoids[0]
		// The mirrored sigmoid keeps the digits of a small probability, which 1 - p would lose.
		p[0], p[1] = probability.Sigmoid{A: -s.A, B: -s.B}.At(decisions[0]), s.At(decisions[0])
		return p
	}
}
