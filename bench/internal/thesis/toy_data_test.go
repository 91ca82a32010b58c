package thesis

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestToyData: the best hyperplane errs as often as it has to.
func TestToyData(t *testing.T) {
	for _, informative := range toyInformative {
		d := toyPoints(rand.New(rand.NewPCG(1, uint64(informative))), informative, 20000)
		if e := 100 * float64(d.wrong(trueWeights(informative), 0)) / 20000; math.Abs(e-bayesError()) > 0.5 {
			t.Errorf("%d features: %.2f %%, the Bayes error is %.2f %%", informative, e, bayesError())
		}
	}
	if math.Abs(bayesError()-4.006) > 1e-3 {
		t.Errorf("the Bayes error is %.4f %%", bayesError())
	}
}
