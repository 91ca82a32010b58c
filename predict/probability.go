package predict

import (
	"bigmkl/model"
	"bigmkl/probability"
)

// estimator makes probabilities of the decision values of all machines, in memory that the next call uses again.
type estimator func(decisions []float64) []float64

// estimator is that of a model with sigmoids: of one machine, both sides of its sigmoid; of one for each class, the sigmoids divided by
// their sum; of one for each pair, what they say coupled; of one for each label, its sigmoid.
func (m *Model) estimator() estimator {
	p := make([]float64, max(2, len(m.Classes)))
	each := make([]float64, len(m.Sigmoids))
	evaluate := func(decisions []float64) []float64 {
		for k, s := range m.Sigmoids {
			each[k] = s.At(decisions[k])
		}
		return each
	}
	switch m.Multiclass {
	case model.MultiLabel:
		return evaluate
	case model.OneVsRest:
		return func(decisions []float64) []float64 {
			probability.Normalise(p, m.Sigmoids, decisions)
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
		s := m.Sigmoids[0]
		p[0], p[1] = probability.Sigmoid{A: -s.A, B: -s.B}.At(decisions[0]), s.At(decisions[0])
		return p
	}
}
