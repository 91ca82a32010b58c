package evaluate

import "math"

// Likelihood compares predicted probabilities with the known classes.
//
// For the logarithm see Good, Rational decisions, Journal of the Royal Statistical Society B 14,
// 1952; for the squares see Brier, Verification of forecasts expressed in terms of probability,
// Monthly Weather Review 78, 1950.
type Likelihood struct {
	n            int
	log, squares float64
}

// leastLikely replaces smaller probabilities, such as 0, whose logarithm would outweigh all others.
const leastLikely = 0x1p-52

// Add adds a row with the probabilities of all classes, of which known is its own. A row whose
// class is not among them, so known is out of range, counts as one whose class had probability
// 0.
func (l *Likelihood) Add(probabilities []float64, known int) {
	given, squares := 0.0, 1.0 // This is (p - 1)^2 for a class with p = 0.
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

// AddLabel adds a row with the probability of a label, which the row has or not.
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

// LogLoss returns the mean of -log p, where p is the probability of the known class but at least
// 2^-52. It is NaN without rows.
func (l *Likelihood) LogLoss() float64 { return l.log / float64(l.n) }

// Brier returns the mean of sum_k (p_k - [k is the known class])^2, which is in [0, 2]. For two
// classes or for labels it is half of that, (p - y)^2. It is NaN without rows.
func (l *Likelihood) Brier() float64 { return l.squares / float64(l.n) }
