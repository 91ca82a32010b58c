package command

import (
	"fmt"
	"slices"

	"bigmkl/internal/model"
)

// describeLossInUnits lists the numbers of the loss of a regression whose defaults depend on the unit
// of the targets. A user needs them to repeat the training on targets in another unit.
func describeLossInUnits(m *model.Model) string {
	// Task huber has delta and a cost without a unit.
	if model.HasLossNumber(m.Task, model.NameDelta) {
		return fmt.Sprintf("delta = %.4g", m.Delta)
	}
	text := fmt.Sprintf("C = %.4g, epsilon = %.4g", m.C, m.Epsilon)
	if slices.Contains(model.TausOfEvents, m.Task) {
		text += fmt.Sprintf("; quantile %.4g", m.Tau)
	}
	return text
}

// lossJSON has the numbers of a loss. A number that the loss of the task does not have is absent.
// Epsilon is the half-width of the tube, Delta the distance where a loss becomes linear, Nu a share of
// rows.
type lossJSON struct {
	Epsilon *number `json:"epsilon,omitempty"`
	Tau     *number `json:"tau,omitempty"`
	// Taus are several quantiles, in place of Tau.
	Taus  []number `json:"taus,omitempty"`
	Delta *number  `json:"delta,omitempty"`
	Nu    *number  `json:"nu,omitempty"`
}

// newLossJSON returns the numbers of the loss of a model. The table of options lists the tasks of each
// number.
func newLossJSON(m *model.Model) lossJSON {
	// of returns nil for a number that the task does not have, so the key is left out.
	of := func(name string, x float64) *number {
		if !optionNamed(name).isOf(m.Task) {
			return nil
		}
		shown := number(x)
		return &shown
	}
	tau := of(model.NameTau, m.Tau)
	if m.Multiclass == model.Quantiles {
		tau = nil
	}
	return lossJSON{of("epsilon", m.Epsilon), tau, numbers(m.Taus), of(model.NameDelta, m.Delta), of("nu", m.Nu)}
}
