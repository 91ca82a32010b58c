package command

import "bigmkl/model"

// machineJSON describes one of several machines. Negative is null if the machine separates a class
// from all others.
type machineJSON struct {
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

// sigmoidJSON holds the sigmoid P(positive | f) = 1 / (1 + exp(A f + B)).
type sigmoidJSON struct {
	A number `json:"a"`
	B number `json:"b"`
}

// newMachinesJSON converts the machines of a model, and the iterations of each where they are known. It
// returns nil for a model of one machine.
func newMachinesJSON(m *model.Model, iterations []int) []machineJSON {
	var out []machineJSON
	for i := range m.Machines {
		a := &m.Machines[i]
		c := a.Certificate
		j := machineJSON{
			Positive: m.Classes[a.Positive], Primal: number(c.Primal), Dual: number(c.Dual),
			RelativeGap: number(c.RelativeGap), Trained: m.Trained(i), Certificate: c.Kind,
			Bias: number(a.Bias), SupportVectors: len(a.Support), Sigmoid: newSigmoidJSON(m,
				i), Theta: numbers(a.Theta), WNorms: numbers(a.WNorms),
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

// newSigmoidJSON converts the sigmoid of machine k. It returns nil if the model gives no
// probabilities.
func newSigmoidJSON(m *model.Model, k int) *sigmoidJSON {
	if m.Sigmoids == nil {
		return nil
	}
	return &sigmoidJSON{number(m.Sigmoids[k].A), number(m.Sigmoids[k].B)}
}
