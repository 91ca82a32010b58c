package verify

import "bigmkl/internal/model"

var _ penalty = fixedWeights{}

// fixedWeights are the plain sum of kernels that have the weights as importances.
type fixedWeights struct {
	blockNorm
	m *model.Model
}

// checkTheta compares the weights of the model themselves, because those divided by the importances may round to 1.
func (n fixedWeights) checkTheta(_ []float64, f *faults) {
	for k, t := range n.m.Theta {
		if t != 0 && t != n.m.Weights[k] {
			f.add("norm", "theta[%d] is %v, its fixed weight %v", k, t, n.m.Weights[k])
		}
	}
}
