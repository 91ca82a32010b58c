package command

import (
	"fmt"
	"strings"

	"bigmkl/internal/fail"
	"bigmkl/internal/kernelspec"
	"bigmkl/internal/model"
)

// costsJSON is the cost of a decision of a model. The unit is the cost of one support vector for a
// kernel of cost 1. Costs are a measure of the effort at prediction, such as a measurement for the
// features of a view. The figures show what a sparse choice of kernels saves.
type costsJSON struct {
	// Power is the power of the costs in the norm. It is absent where other costs are charged.
	Power *number `json:"power,omitempty"`
	// Total is support vectors x (cost of active kernels / cost of all), and Percent the same in
	// percent of the rows.
	Total   number `json:"total"`
	Percent number `json:"percent"`
	Active  int    `json:"active_kernels"`
	// Unneeded names the views of which no active kernel takes a feature.
	Unneeded []string `json:"unneeded_views"`
}

// newCostsJSON charges the costs d, one for each kernel. It returns nil if there are none. A kernel
// counts as active by the rule of inspect, at least 1e-3 of the sum of theta.
func newCostsJSON(m *model.Model, b *kernelspec.Bank, d []float64) *costsJSON {
	if d == nil {
		return nil
	}
	// Total = support vectors x sum of d over active kernels / sum of d over all kernels.
	total := m.Active().TotalCost(len(m.Support), d)
	c := &costsJSON{Total: number(total), Percent: number(100 * ratio(total, float64(m.Points))),
		Unneeded: append([]string{}, m.Active().UnneededViews(b, m.Views, m.Features)...)}
	// Without costs in the specifications the norm has no power to report.
	if b.HasCosts {
		power := number(m.Costs.Exponent())
		c.Power = &power
	}
	for _, active := range m.Active() {
		if active {
			c.Active++
		}
	}
	return c
}

// describe describes the cost of a decision, and the views that it does not need.
func (c *costsJSON) describe(m *model.Model) string {
	text := fmt.Sprintf("%.6g, %.4g %% of the rows: %s, %d of %s active",
		float64(c.Total), float64(c.Percent), count(len(m.Support), "support vector"), c.Active, count(m.Len(), "kernel"))
	if len(c.Unneeded) > 0 {
		var names []string
		for _, v := range c.Unneeded {
			names = append(names, fail.Label(v))
		}
		text += "; not needed: " + shorten(strings.Join(names, ", "), 200)
	}
	return text
}
