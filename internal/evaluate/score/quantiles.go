package score

import (
	"fmt"
	"math"
	"slices"

	"bigmkl/internal/evaluate"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// quantiles compares several quantiles of each row with its target. It keeps nothing of a row.
type quantiles struct {
	pinball []evaluate.Pinball // of each quantile
	rows    int                // with a target
	all     int                // with or without
	crossed int                // rows of which some quantile is above the next
}

// Quantile is what became of one of several quantiles.
type Quantile struct {
	// Tau is the quantile, Loss its mean pinball loss, and Below the share of targets that are at most as large.
	Tau, Loss, Below float64
}

func newQuantiles(m *model.Model) *quantiles {
	q := &quantiles{}
	for _, tau := range m.Taus {
		q.pinball = append(q.pinball, evaluate.Pinball{Tau: tau})
	}
	return q
}

func (q *quantiles) add(p predict.Prediction) {
	// Crossing is a property of the predictions, of rows without a target too.
	if q.all++; !slices.IsSorted(p.Decisions) {
		q.crossed++
	}
	if math.IsNaN(p.Target) {
		return
	}
	q.rows++
	for k, f := range p.Decisions {
		q.pinball[k].Add(f, p.Target)
	}
}

// evaluate adds the figures. The pinball loss is the mean over the quantiles, so it orders models as their sum does.
func (q *quantiles) evaluate(e *Evaluation) {
	sum := 0.0
	for _, p := range q.pinball {
		sum += p.Loss()
		e.Quantiles = append(e.Quantiles, Quantile{p.Tau, p.Loss(), p.Below()})
	}
	e.Figures = []Figure{{"pinball", "pinball loss", sum / float64(len(q.pinball))},
		{"crossing", "share of rows that cross", float64(q.crossed) / float64(q.all)}}
}

// below writes the share of targets below each quantile, where there are targets.
func (e Evaluation) below() string {
	if len(e.Quantiles) == 0 || math.IsNaN(e.Quantiles[0].Below) {
		return ""
	}
	return ", shares of targets below " + fail.List(func(k int) string {
		q := e.Quantiles[k]
		return fmt.Sprintf("%.4f (%g)", q.Below, q.Tau)
	}, len(e.Quantiles))
}
