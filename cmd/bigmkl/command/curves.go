package command

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"bigmkl"
	"bigmkl/internal/conformal"
	"bigmkl/internal/evaluate"
	"bigmkl/internal/fail"
	"bigmkl/internal/model"
)

// survivalCurves append the probability of no event until each time to a list. The times are fixed when
// the value is made. Append adds one probability for each of them, in their order.
type survivalCurves interface {
	Append(list []float64, p *bigmkl.Prediction) []float64
}

// hazardCurves are the curves of a model of relative hazards. S(t|x) = S_0(t)^exp(f(x)), where the
// baseline S_0 comes from the training rows and f(x) is the decision value.
type hazardCurves struct {
	baseline *model.Baseline
	times    []float64
}

// Append implements survivalCurves.
func (c hazardCurves) Append(list []float64, p *bigmkl.Prediction) []float64 {
	for _, t := range c.times {
		list = append(list, c.baseline.Survival(t, p.Decision))
	}
	return list
}

// curveFigures are the survival curves of predictions, with their Brier scores. Scores are
// weighted by the censoring of the rows of the training, because the rows to predict may be too
// few to estimate it.
// curve is the buffer of one row, which all rows share.
type curveFigures struct {
	survivalCurves
	times []float64
	brier *evaluate.TimesBrier
	known int // rows with a time
	curve []float64
}

// newCurveFigures returns nil without times. A model of hazards has curves from its baseline
// hazard, and a regression of times from the residuals of held-out rows.
func newCurveFigures(m *model.Model, times []float64) (*curveFigures, error) {
	if times == nil {
		return nil, nil
	}
	// Both kinds take the same times.
	var curves survivalCurves = hazardCurves{&m.Baseline, times}
	if !model.GivesHazards(m.Task) {
		var err error
		if curves, err = conformal.NewCurves(m, times); err != nil {
			return nil, err
		}
	}
	return &curveFigures{survivalCurves: curves, times: times, brier: evaluate.NewTimesBrier(times, m.Censoring.Times, m.Censoring.Shares)}, nil
}

// add adds the curve of a row to its cells, and counts it. A row without a known time gets its curve,
// but no score.
func (c *curveFigures) add(to *cells, p *bigmkl.Prediction) {
	c.curve = c.Append(c.curve[:0], p)
	for _, s := range c.curve {
		to.addNumber(s, 6)
	}
	if !math.IsNaN(p.Target) {
		c.known++
		c.brier.Add(c.curve, p.Target, p.Upper)
	}
}

// curvesJSON is the object curves of predict --json.
type curvesJSON struct {
	Times []number `json:"times"`
	// Brier has the score at each time, null where it is not defined.
	Brier      []number `json:"brier"`
	Integrated *number  `json:"integrated_brier,omitempty"`
}

// json returns the object for --json. One time has no integral.
func (c *curveFigures) json() curvesJSON {
	var out curvesJSON
	for k, b := range c.brier.Scores() {
		out.Times, out.Brier = append(out.Times, number(c.times[k])), append(out.Brier, number(b))
	}
	if len(c.times) > 1 {
		x := number(c.brier.Integrated())
		out.Integrated = &x
	}
	return out
}

// String describes the scores in a line. It names the times where the score is not defined.
func (c *curveFigures) String() string {
	var words []string
	defined := false
	for k, b := range c.brier.Scores() {
		if math.IsNaN(b) {
			words = append(words, fmt.Sprintf("none at %g", c.times[k]))
			continue
		}
		words, defined = append(words, fmt.Sprintf("%.4f at %g", b, c.times[k])), true
	}
	if !defined {
		return "survival curves without a Brier score"
	}
	text := "Brier score " + strings.Join(words, ", ")
	if x := c.brier.Integrated(); !math.IsNaN(x) {
		text += fmt.Sprintf(", integrated %.4f", x)
	}
	return text
}

// parseTimes parses times above 0 that ascend. The order matters to the integral of the Brier score,
// which is a sum over neighbouring times.
func parseTimes(text string) (list []float64, err error) {
	for word := range strings.SplitSeq(text, ",") {
		t, e := strconv.ParseFloat(strings.TrimSpace(word), 64)
		// The negated test rejects NaN, too.
		if e != nil || !(t > 0) || math.IsInf(t, 1) || list != nil && t <= list[len(list)-1] {
			return nil, fmt.Errorf("%s: times are above 0 and ascend, such as 12,24,60", fail.Quote(text))
		}
		list = append(list, t)
	}
	return list, nil
}
