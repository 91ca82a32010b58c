package train

import (
	"math"

	"bigmkl/internal/fail"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
)

// softLabels returns 2p - 1 for the posterior of each row, with 0 for rows that are left out.
func softLabels(posteriors []float64) []float64 {
	soft := make([]float64, len(posteriors))
	for i, p := range posteriors {
		soft[i] = model.SoftLabel(p)
	}
	return soft
}

// softLoss returns the loss of the posteriors. Posteriors that favour fewer than two classes are
// of class fail.Input.
func (r labelledRows) softLoss(p *loss.Problem) (*loss.Hinge, error) {
	// A row has the cost of the class that its posterior favours, whatever its label is.
	p.Soft = softLabels(r.store.Posteriors())
	l := loss.NewSoftHinge(p.Soft, p.ClassCosts, p.Weights)
	// With one side alone the bias meets every margin, and the weights would be 0.
	positive, negative := l.Sides()
	var err *fail.Error
	names, near := r.store.Classes(), model.LeastSoftLabel/2
	switch {
	case !positive && !negative:
		err = fail.New(fail.Input, "all %d posteriors are within %g of 1/2: no row says anything of "+
			"its class", len(p.Soft), near)
	case !positive:
		err = fail.New(fail.Input, "no posterior is %g or more: no row speaks for the class %s",
			0.5+near, fail.Word(names[1]))
	case !negative:
		err = fail.New(fail.Input, "no posterior is %g or less: no row speaks for the class %s",
			0.5-near, fail.Word(names[0]))
	default:
		return l, nil
	}
	return nil, err.At(r.problem.Posteriors.File, 0, 0).
		WithHint("posteriors are those of %s, the second class", fail.Cut(names[1]))
}

// hasPosteriors reports whether posteriors were asked for and there are classes that they are of.
func (r labelledRows) hasPosteriors() bool {
	return r.problem.Posteriors.Asked() &&
		(len(r.store.Classes()) == 2 || r.posteriorColumns() > 1)
}

// posteriorColumns is the number of posteriors that a row has.
func (r labelledRows) posteriorColumns() int {
	if r.problem.Multiclass == model.SingleClassifier {
		return len(r.store.Classes())
	}
	return 1
}

// isPositive reports whether row i of two classes counts as positive, by its posterior or its
// label.
func (r labelledRows) isPositive(i int) bool {
	if p := r.store.Posteriors(); p != nil {
		return model.SoftLabel(p[i]) > 0
	}
	return r.store.Labels()[i] == 1
}

// largestCost returns by which factor soft labels raise the cost of a row at most.
func (r labelledRows) largestCost() float64 {
	if r.posteriorColumns() > 1 { // They are in the margins alone.
		return 1
	}
	// A soft label of 0 costs nothing, and is not a divisor.
	least := 1.0
	for _, p := range r.store.Posteriors() {
		if y := math.Abs(model.SoftLabel(p)); y > 0 {
			least = min(least, y)
		}
	}
	return 1 / least
}
