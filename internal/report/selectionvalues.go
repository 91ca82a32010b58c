package report

import (
	"fmt"
	"math"
	"slices"

	"bigmkl/internal/model"
	"bigmkl/internal/probability"
	"bigmkl/internal/selection"
	"bigmkl/predict"
)

// PredictHeldOut keeps what a page shows of the rows that a selection held out. Decision values are of the trainings without
// each row. Probabilities come from sigmoids that were fitted to the other half of the rows: every second one. It returns
// nil for a model of other classifiers. A sigmoid has two parameters, so fitting it to one half of the
// rows and judging it on the other half gives a fair calibration curve (cross-fitting).
func PredictHeldOut(m *predict.Model, values *selection.HeldOutRows) *HeldOut {
	classifiers := max(1, len(m.Classifiers))
	// The folder of the selection may be of another model.
	if slices.ContainsFunc(values.Values, func(list []float32) bool { return len(list) != classifiers }) {
		return nil
	}
	// The decider turns decision values into labels as predict does, so both pages agree.
	h, decider := newHeldOut(&m.Model), m.NewDecider()
	var estimates [2]predict.Estimator
	if m.HasClasses() && values.Known != nil && len(values.Values) > 1 && (m.Multiclass == "" || m.Multiclass == model.OneVsRest || m.Multiclass == model.MultiLabel) && m.Discriminant == nil {
		// A sigmoid gives too extreme a probability to a row that it was fitted to. The rows of each half
		// are judged by the sigmoid of the other half.
		for half := range estimates {
			estimates[half] = h.estimatorOf(m, values, 1-half)
		}
	}
	for row, list := range values.Values {
		decisions := make([]float64, len(list))
		for k, f := range list {
			decisions[k] = float64(f)
		}
		p := decider.Decide(decisions)
		// NaN means that a row has no target, which add tests.
		p.Target = math.NaN()
		if values.Known != nil {
			p.Known = values.Classes[values.Known[row]]
		} else {
			p.Target = values.Targets[row]
		}
		if estimate := estimates[row%2]; estimate != nil {
			p.Probabilities = estimate(decisions)
		}
		h.add(p)
	}
	h.text = fmt.Sprintf("Each of %d rows was predicted by a training without it. The curves and tables are about all of them together, "+
		"and the figures of the selection are means over its folds. As the combination was chosen by these rows, the figures are optimistic.", len(values.Values))
	if len(values.Values) < values.Rows {
		h.text = fmt.Sprintf("Of %d rows %d were kept. ", values.Rows, len(values.Values)) + h.text
	}
	return h
}

// estimatorOf fits a sigmoid for each classifier to the rows of a half, unless decision values are the logarithms of odds.
func (h *HeldOut) estimatorOf(m *predict.Model, values *selection.HeldOutRows, half int) predict.Estimator {
	if model.GivesOdds(m.Task) {
		return m.Estimator()
	}
	fitted := *m
	fitted.Sigmoids = nil
	for k := range max(1, len(m.Classifiers)) {
		var decisions []float64
		var positive []bool
		for row := half; row < len(values.Values); row += 2 {
			// Classes of the selection are numbered in the order of its data, which need not be the
			// order of the model.
			known := values.Classes[values.Known[row]]
			decisions = append(decisions, float64(values.Values[row][k]))
			positive = append(positive, m.Several() && h.hasClass(known, k) || !m.Several() && known == m.Positive)
		}
		fitted.Sigmoids = append(fitted.Sigmoids, probability.Fit(decisions, positive))
	}
	return fitted.Estimator()
}
