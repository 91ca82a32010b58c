package command

import "bigmkl/internal/model"

// classifierJSON describes one of several classifiers. Negative is null if the classifier separates
// a class from all others. The regressor of a quantile has Tau in place of classes. Theta and WNorms
// have an entry for each kernel, in the order of the kernels in the model. Trained is false for a
// classifier that the run did not reach; its numbers are then initial values. docs/JSON.md has the
// contract: keys may be added, but not removed or renamed.
type classifierJSON struct {
	Tau            *number      `json:"tau,omitempty"`
	Positive       string       `json:"positive"`
	Negative       *string      `json:"negative"`
	Primal         number       `json:"primal"`
	Dual           number       `json:"dual"`
	RelativeGap    number       `json:"relative_gap"`
	Trained        bool         `json:"trained"`
	Certificate    string       `json:"certificate"`
	Bias           number       `json:"bias"`
	SupportVectors int          `json:"support_vectors"`
	Iterations     *int         `json:"iterations,omitempty"`
	Sigmoid        *sigmoidJSON `json:"sigmoid,omitempty"`
	Theta          []number     `json:"theta"`
	WNorms         []number     `json:"w_norms"`
}

// sigmoidJSON holds the sigmoid P(positive | f) = 1 / (1 + exp(A f + B)). A is negative if large
// decision values belong to the positive class. The form is Platt's, as in LIBSVM.
type sigmoidJSON struct {
	A number `json:"a"`
	B number `json:"b"`
}

// newClassifiersJSON converts the classifiers of a model, and the iterations of each where they are
// known. It returns nil for a model of one classifier.
// Only the report of a training has the iterations. A model file does not have them.
func newClassifiersJSON(m *model.Model, iterations []int) []classifierJSON {
	var out []classifierJSON
	for i := range m.Classifiers {
		a := &m.Classifiers[i]
		c := a.Certificate
		j := classifierJSON{
			Primal: number(c.Primal), Dual: number(c.Dual),
			RelativeGap: number(c.RelativeGap), Trained: m.Convergence().Trained(i), Certificate: c.Kind,
			Bias: number(a.Bias), SupportVectors: len(a.Support), Sigmoid: newSigmoidJSON(m,
				i), Theta: numbers(a.Theta), WNorms: numbers(a.WNorms),
		}
		if m.Multiclass == model.Quantiles {
			tau := number(m.Taus[i])
			j.Tau = &tau
		} else {
			j.Positive = m.Classes[a.Positive]
		}
		if a.Negative != model.Rest {
			j.Negative = &m.Classes[a.Negative]
		}
		if i < len(iterations) {
			j.Iterations = &iterations[i]
		}
		out = append(out, j)
	}
	return out
}

// newSigmoidJSON converts the sigmoid of classifier k. It returns nil if the model gives no
// probabilities.
func newSigmoidJSON(m *model.Model, k int) *sigmoidJSON {
	if m.Sigmoids == nil {
		return nil
	}
	return &sigmoidJSON{number(m.Sigmoids[k].A), number(m.Sigmoids[k].B)}
}
