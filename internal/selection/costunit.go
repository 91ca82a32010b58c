package selection

import (
	"slices"
	"strconv"

	"bigmkl/internal/fail"
	"bigmkl/internal/model"
	"bigmkl/internal/train"
)

// The default costs of tasks such as svr count deviations of the targets, as the default of a training does: else
// they would lie beside the good ones wherever targets are spread far from 1. The deviation is taken over all
// rows, and the costs are numbers that all folds share. With a deviation for each fold the cells of a cost would
// be of other problems in each fold, and the one that is chosen of another again. Held-out rows do not influence
// a choice by that: a common factor of all costs prefers no combination. The tube, whose default is a tenth of
// the deviation, follows the rows of each training.

// costsOf returns default costs, times the factor of the task, and whether they count deviations of the targets.
func costsOf(task string, costs []float64) (products []float64, inDeviations bool) {
	return multiply(costs, model.CostsFactor(task)), slices.Contains(model.CostsInUnits, task)
}

// multiply returns the products of numbers and a factor.
func multiply(list []float64, factor float64) []float64 {
	products := make([]float64, len(list))
	for k, x := range list {
		products[k] = short(x * factor)
	}
	return products
}

// takeTargets rejects a measure that the targets of the rows do not have, once they have been read, and multiplies the default costs by their
// deviation. uppers has Row.Upper of the rows, and may be nil if all are 0.
func (o *Options) takeTargets(targets, uppers []float64) error {
	if o.Measure == unoMeasure && slices.ContainsFunc(uppers, func(u float64) bool { return u != 0 }) {
		return fail.New(fail.Usage, "%s is a measure of times that have no upper bounds, and some rows have one", o.Measure).WithHint("--measure c_index")
	}
	o.takeUnit(targets, uppers)
	return nil
}

// unoMeasure weights events by the distribution of the times of censoring on the right.
const unoMeasure = "uno_c"

// takeUnit multiplies the default costs by the deviation of the targets.
func (o *Options) takeUnit(targets, uppers []float64) {
	if !o.inDeviations {
		return
	}
	o.costUnit = train.UnitOf(o.Training.Task, targets, uppers)
	o.Costs = multiply(o.Costs, o.costUnit)
}

// short returns a number without the digits that rounding has added: 0.1 times 48.1 is 4.81, which is what a user
// would write. The unit has three digits.
func short(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		return x
	}
	return y
}
