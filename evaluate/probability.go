package evaluate

import "math"

// Likelihood sums up probabilities that were given to what then turned out.
//
// Good, Rational decisions, Journal of the Royal Statistical Society B 14, 1952, for the logarithm; Brier, Verification of forecasts
// expressed in terms of probability, Monthly Weather Review 78, 1950, for the squares.
type Likelihood struct {
	n            int
	log, squares float64
}

// leastLikely stands for probabilities below it, 0 among them, whose logarithm would drown all others.
const leastLikely = 0x1p-52

// Add takes the probabilities of all classes for a row, of which known is its own; a class that is none of them has been given 0.
func (l *Likelihood) Add(probabilities []float64, known int) {
	given, squares := 0.0, 1.0 // (p - 1)^2 of a class that was given 0
	for k, p := range probabilities {
		if k == known {
			given = p
			squares += (1-p)*(1-p) - 1
		} else {
			squares += p * p
		}
	}
	if len(probabilities) == 2 {
		squares /= 2
	}
	l.take(given, squares)
}

// AddLabel takes the probability of a label for a row that has it or not.
func (l *Likelihood) AddLabel(probability float64, has bool) {
	if !has {
		probability = 1 - probability
	}
	l.take(probability, (1-probability)*(1-probability))
}

func (l *Likelihood) take(given, squares float64) {
	l.n++
	l.log -= math.Log(max(given, leastLikely))
	l.squares += squares
}

// LogLoss is the mean of -log p of the known class, p at least 2^-52; NaN without rows.
func (l *Likelihood) LogLoss() float64 { return l.log / float64(l.n) }

// Brier is the mean of sum_k (p_k - [k is the known class])^2, in [0, 2]; of two classes, or of labels, half of that, (p - y)^2. NaN
// without rows.
func (l *Likelihood) Brier() float64 { return l.squares / float64(l.n) }
