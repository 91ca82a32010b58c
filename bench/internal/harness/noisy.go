package harness

import (
	"iter"
	"math"
	"math/rand/v2"

	"bigmkl/dataset"
)

// The best classifier of noisy rows errs on 6.7 % of them, so the number of support vectors grows with the number of
// rows.
const (
	// NoisyTests is the largest number of test rows.
	NoisyKind     = "noisy"
	NoisyFeatures = 18
	noisySteep    = 6 // P(y = 1) = 1/(1 + exp(-noisySteep f))
	NoisyTests    = 20000
)

// noisy generates normal features, of which six decide about the class:
//
//	f = sin 2x1 + x2 x3 + 0.7 cos(1.5 x4 + x5) + 0.5 (x6^2 - 1).
func (s *Synthetic) noisy() iter.Seq[dataset.Row] {
	return func(yield func(dataset.Row) bool) {
		// The second number keeps the stream apart from the streams of other synthetic sets with the
		// same seed.
		rng := rand.New(rand.NewPCG(s.Seed, 4))
		row := s.row()
		for range s.Points {
			for j := range row.Value {
				row.Value[j] = rng.NormFloat64()
			}
			y := 0
			if rng.Float64() < noisyProbability(row.Value) {
				y = 1
			}
			row.Label, row.Target = ClassLabel(y), float64(2*y-1)
			if !yield(row) {
				return
			}
		}
	}
}

// noisyProbability is the probability of class 1 at a point.
// Index 0 is x1 of the formula above.
func noisyProbability(x []float64) float64 {
	f := math.Sin(2*x[0]) + x[1]*x[2] + 0.7*math.Cos(1.5*x[3]+x[4]) + 0.5*(x[5]*x[5]-1)
	return 1 / (1 + math.Exp(-noisySteep*f))
}
