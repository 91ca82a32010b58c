package train

import (
	"strconv"
	"strings"

	"bigmkl/internal/budget"
	"bigmkl/internal/loss"
	"bigmkl/internal/model"
)

// Several quantiles of the same targets. Each has a regressor of its own, with weights of its own, or one
// set of weights for all. All are over all rows, so they share what one-vs-rest classifiers share: reading,
// widths, normalisation, the memory of the gradients and cached kernel rows. Only tau in the loss differs.
// Regressor k is, bit for bit, the model of Taus[k] alone.
//
// Nothing keeps the functions from crossing: that would be a constraint for each pair of neighbours at each row
// (Takeuchi et al. 2006), and the problems would not be independent. Predictions can be sorted; see package predict.

// quantilesWing is the wing of several quantiles.
type quantilesWing struct{ plainWing }

var _ wing = quantilesWing{}

func (quantilesWing) traits(p *Problem) wingTraits {
	return wingTraits{decompose: decomposeQuantiles, regressors: len(p.Taus)}
}

// decomposeQuantiles returns the decomposition into a regressor for each quantile.
func decomposeQuantiles(r labelledRows) (*decomposition, error) {
	p := r.problem
	return &decomposition{kind: p.Multiclass, taus: p.Taus, pairs: model.Pairs(p.Multiclass, len(p.Taus))}, nil
}

// effortOfQuantiles is what so many regressors of n points take.
func effortOfQuantiles(regressors, n int) budget.Effort {
	points := make([]int, regressors)
	for k := range points {
		points[k] = n
	}
	return budget.NewEffort(points, n)
}

// lossOfTau returns the loss of regressor k, over all rows.
func (d *decomposition) lossOfTau(w *Workspace, k int) *loss.Insensitive {
	p := &w.Options.Problem
	return loss.NewQuantile(w.Store.Targets(), p.C, w.Store.Weights(), p.Epsilon, d.taus[k])
}

// describeTaus returns several quantiles as the value of a flag.
func (p *Problem) describeTaus() string {
	list := make([]string, len(p.Taus))
	for k, tau := range p.Taus {
		list[k] = formatTau(tau)
	}
	return strings.Join(list, ",")
}

// formatTau returns the shortest text of a number.
func formatTau(tau float64) string { return strconv.FormatFloat(tau, 'g', -1, 64) }
