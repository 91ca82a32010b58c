package verify

import (
	"slices"

	"bigmkl/internal/model"
)

// A model of several quantiles has a regressor for each, of all rows:
//
//	loss of regressor k   c tau_k max(0, y - f_k - eps) + c (1 - tau_k) max(0, f_k - y - eps)
//	dual variables        -(1 - tau_k) c <= alpha_k <= tau_k c, with the sum 0
//
// where c is C times the weight of the row. Each is certified as the model of its quantile alone.

// quantilesWing is the wing of several quantiles.
type quantilesWing struct{ plainWing }

var _ wing = quantilesWing{}

// fits reports whether there is a regressor for each quantile, and whether the quantiles ascend within (0, 1).
func (quantilesWing) fits(m *model.Model) bool {
	ascends := slices.IsSorted(m.Taus)
	for k, tau := range m.Taus {
		ascends = ascends && tau > 0 && tau < 1 && (k == 0 || tau != m.Taus[k-1])
	}
	return ascends && model.EstimatesQuantile(m.Task) && m.Discriminant == nil && m.CostWeight == nil &&
		m.Classes == nil && m.ClassWeights == nil && pairsFit(m, model.Pairs(m.Multiclass, len(m.Taus)))
}

// roles gives the row the same role in each regressor.
func (quantilesWing) roles(m *model.Model, _ int, list []role) []role {
	for k := 1; k < len(m.Taus); k++ {
		list = append(list, role{classifier: int32(k), y: list[0].y, cost: list[0].cost})
	}
	return list
}
