package letters

import (
	"errors"
	"io"
	"slices"

	"bigmkl/internal/libsvm"
	"bigmkl/internal/probability"
)

// decider turns values of decision functions into what svm-predict writes. It is for one goroutine.
type decider struct {
	head *libsvm.Head
	// The slices are reused for each row: votes and p have a number for each class, and each one for
	// each pair.
	votes    []int
	each, p  []float64
	coupling *probability.Coupling
}

// newDecider returns the decider of a model.
// h must not change while the decider is in use.
func newDecider(h *libsvm.Head) *decider {
	d := &decider{head: h, votes: make([]int, h.Classes), p: make([]float64, h.Classes), each: make([]float64, h.Pairs())}
	if h.HasClasses() && h.Classes > 2 {
		d.coupling = probability.NewCoupling(h.Classes)
	}
	return d
}

// predict returns the label or the number of a row. Of several classes with most votes the first one
// wins. A value of exactly 0 is a vote for the second class of a pair, as in LIBSVM.
func (d *decider) predict(values []float64) float64 {
	h := d.head
	switch {
	case h.IsRegression():
		return values[0]
	case h.Type == libsvm.OneClass:
		if values[0] > 0 {
			return 1
		}
		return -1
	}
	// Each pair has one vote.
	clear(d.votes)
	pairs(h.Classes, func(pair, i, j int) {
		if values[pair] > 0 {
			d.votes[i]++
		} else {
			d.votes[j]++
		}
	})
	return float64(h.Labels[slices.Index(d.votes, slices.Max(d.votes))])
}

// hasProbabilities reports whether the model gives probabilities: sigmoids of pairs, the spread
// of a regression, or marks of one class. A model of a single class has probability 1.
func (d *decider) hasProbabilities() bool {
	h := d.head
	return h.HasClasses() && (h.ProbA != nil && h.ProbB != nil || h.Classes == 1) || h.IsRegression() && h.ProbA != nil ||
		h.Type == libsvm.OneClass && h.Marks != nil
}

// probabilities returns the most probable label of a row and the probabilities of the classes,
// or of inside and outside for one class. The slice is valid until the next call. Pairs are
// coupled by the second method of Wu, Lin and Weng (2004), as in LIBSVM, which also keeps each
// away from 0 and 1 by 1e-7.
func (d *decider) probabilities(values []float64) (float64, []float64) {
	h := d.head
	if h.Type == libsvm.OneClass {
		d.p[0] = d.density(values[0])
		d.p[1] = 1 - d.p[0]
		return d.predict(values), d.p
	}
	// each[k] is the probability of the first class of pair k, 1 / (1 + exp(A f + B)).
	for k, f := range values {
		const least = 1e-7
		d.each[k] = max(least, min(1-least, probability.Sigmoid{A: h.ProbA[k], B: h.ProbB[k]}.At(f)))
	}
	switch h.Classes {
	case 1:
		d.p[0] = 1
	case 2:
		d.p[0], d.p[1] = d.each[0], 1-d.each[0]
	// Three or more classes have pairs that contradict each other, so they are coupled.
	default:
		d.coupling.Couple(d.p, d.each)
	}
	return float64(h.Labels[slices.Index(d.p, slices.Max(d.p))]), d.p
}

// density returns the probability that a row is inside, by the marks between which its value lies (Que and
// Lin 2022). The marks ascend. A value outside of all of them gets 0.001 or 0.999.
func (d *decider) density(value float64) float64 {
	const outside, inside = 0.001, 0.999
	marks := d.head.Marks
	switch {
	case value < marks[0]:
		return outside
	case value > marks[len(marks)-1]:
		return inside
	}
	// Between marks k and k+1 of n, the probability is (k+1)/n.
	for k, mark := range marks[1:] {
		if value < mark {
			return float64(k+1) / float64(len(marks))
		}
	}
	// It is not reached for a number: such a value lies below the first mark, above the last, or
	// between two.
	return 0
}

// endOf returns nil for the end of rows.
func endOf(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
