package conformal

import (
	"math"
	"slices"
	"sort"

	"bigmkl/internal/fail"
	"bigmkl/internal/float"
	"bigmkl/internal/model"
	"bigmkl/predict"
)

// Curves make survival curves of a model of times: for some times t, the share of rows like x that have no event until t. The model is one of
// accelerated failure: log T = f(x) + e, with the same distribution of e for every row. So
//
//	S(t | x) = Pr(e > log t - f(x)),
//
// which the product-limit estimate of the residuals of held-out rows gives (Kaplan and Meier 1958; Buckley and James 1979 have it of the
// rows of the fit). Breslow's estimator would need a function that is the logarithm of a hazard ratio, and f is the logarithm of a time.
type Curves struct {
	logarithms, residuals, shares []float64
}

// NewCurves returns the curves of a model at some times above 0, ascending. It is of class fail.Usage if the model has no residuals of held-out rows.
func NewCurves(m *model.Model, times []float64) (*Curves, error) {
	switch c := m.Conformal; {
	case !model.PredictsLogarithm(m.Task):
		return nil, fail.New(fail.Usage, "a model of task %s has no survival curves", model.Named(m.Task)).WithHint("--task survival --conformal, or --task cox")
	case c == nil:
		return nil, fail.New(fail.Usage, "the model has no residuals of held-out rows").WithHint("train --conformal")
	case len(c.Scores) == 0:
		return nil, fail.New(fail.Usage, "the model has no residuals of held-out rows, as its training was interrupted").WithHint("train it again")
	}
	curves := &Curves{residuals: m.Conformal.Scores, shares: m.Conformal.Shares}
	for k, t := range times {
		if !(t > 0 && float.Finite(t) && (k == 0 || t > times[k-1])) {
			return nil, fail.New(fail.Usage, "times of survival curves that are not above 0, or do not ascend")
		}
		curves.logarithms = append(curves.logarithms, math.Log(t))
	}
	if times == nil {
		return nil, fail.New(fail.Usage, "survival curves at no time")
	}
	return curves, nil
}

// Append appends the share without an event until each time to a list, for a row of which the model predicts the time p.Decision.
func (c *Curves) Append(list []float64, p *predict.Prediction) []float64 {
	list = slices.Grow(list, len(c.logarithms))
	for _, l := range c.logarithms {
		list = append(list, c.above(l-math.Log(p.Decision)))
	}
	return list
}

// above returns the share of the residuals that are above a number.
func (c *Curves) above(residual float64) float64 {
	k := sort.Search(len(c.residuals), func(k int) bool { return c.residuals[k] > residual })
	if k == 0 {
		return 1
	}
	return c.shares[k-1]
}
