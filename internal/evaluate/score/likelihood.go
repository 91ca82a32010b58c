package score

import (
	"slices"

	"bigmkl/internal/dataset/labeltext"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// likelihood compares probabilities with the classes of the rows.
type likelihood struct {
	evaluate.Likelihood
	place  map[string]int // of each class among the probabilities
	names  []string
	labels bool // of sets
}

func newLikelihood(m *model.Model) *likelihood {
	l := &likelihood{place: map[string]int{}, names: ClassNames(m), labels: m.Multiclass == model.MultiLabel}
	for k, name := range l.names {
		l.place[name] = k
	}
	return l
}

// ClassNames are the classes that probabilities are of, in their order.
func ClassNames(m *model.Model) []string {
	if m.Several() {
		return m.Classes
	}
	return []string{m.Negative, m.Positive}
}

// add takes a row, if its class is known.
func (l *likelihood) add(p predict.Prediction) {
	switch {
	case p.Known == "":
	case l.labels:
		known := labeltext.OfSet(p.Known)
		for k, x := range p.Probabilities {
			l.AddLabel(x, slices.Contains(known, l.names[k]))
		}
	default:
		k, ok := l.place[p.Known]
		if !ok {
			k = -1
		}
		l.Add(p.Probabilities, k)
	}
}

// figures are what is reported.
func (l *likelihood) figures() []Figure {
	return []Figure{{"log_loss", "log loss", l.LogLoss()}, {"brier", "Brier score", l.Brier()}}
}
