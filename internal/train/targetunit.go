package train

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"bigmkl/internal/loss"
	"bigmkl/internal/model"
)

// The losses of tasks svr, quantile and survival grow with the targets: C sum max(0, |y - f| - epsilon). Where targets and f are s times as large, it
// is s times as large, and the norm of f s^2 times. The same function, in other units, is therefore found
// with s C and s epsilon. Defaults are counted in a unit that grows with the targets, their standard deviation. They
// therefore mean the same for prices in dollars and in cents. The squared loss grows with s^2 like the norm: its C
// has no unit. Nor has C of Huber's loss, whose delta has one.

// tailFactor is the number of times that the standard deviation exceeds its estimate from the median
// absolute deviation before the latter is taken: few far targets then decide the former.
const tailFactor = 3

// normalMAD is the standard deviation of a normal distribution over its median absolute deviation.
const normalMAD = 1.4826

// equalTargets is the share of the largest target up to which targets that differ count as equal: they are
// the same number in other roundings, as 0.3 and 0.1 + 0.2 are.
const equalTargets = 1e-14

// targetsAreEqual reports whether all targets are equal, except for rounding.
func targetsAreEqual(targets []float64) bool {
	if len(targets) == 0 {
		return false
	}
	least, most := slices.Min(targets), slices.Max(targets)
	return most-least <= equalTargets*max(math.Abs(least), math.Abs(most))
}

// TargetUnit returns the unit of targets, to three digits: their standard deviation, or its estimate from the median
// absolute deviation where tails are heavy. It is 1 if all targets are equal. Else the sums would find the
// deviation of rounding.
func TargetUnit(targets []float64) float64 {
	if targetsAreEqual(targets) {
		return 1
	}
	n := float64(len(targets))
	mean, squares := 0.0, 0.0
	for _, y := range targets {
		mean += y / n
	}
	for _, y := range targets {
		squares += float64((y - mean) * (y - mean) / n)
	}
	deviation := math.Sqrt(squares)
	far := slices.Clone(targets)
	slices.Sort(far)
	middle := far[len(far)/2]
	for i, y := range far {
		far[i] = math.Abs(y - middle)
	}
	slices.Sort(far)
	if robust := normalMAD * far[len(far)/2]; robust > 0 && deviation > tailFactor*robust {
		deviation = robust
	}
	// Three digits are enough for a unit, and short enough to be read.
	deviation, _ = strconv.ParseFloat(strconv.FormatFloat(deviation, 'g', 3, 64), 64)
	if !(deviation > 0) || math.IsInf(deviation, 0) {
		return 1
	}
	return deviation
}

// UnitOf returns the unit of what the functions of a task are compared with, of dataset.Row.Target and Upper of the rows. uppers is nil if all
// are 0.
func UnitOf(task string, targets, uppers []float64) float64 {
	return TargetUnit(loss.TargetsOf(task, targets, uppers))
}

// takeUnit turns C and the numbers of the loss into units of the targets, once, where they are counted in TargetUnit.
func (p *Problem) takeUnit(unit float64) {
	if p.Unit != 0 || !p.CostInUnits && len(p.NumbersInUnits) == 0 {
		return
	}
	p.Unit = unit
	if p.CostInUnits {
		p.C *= unit
	}
	for _, n := range model.LossNumbers {
		if slices.Contains(p.NumbersInUnits, n.Name) {
			*n.Of(&p.LossSettings) *= unit
		}
	}
}

// lossFacts lists the numbers of the loss.
func (p *Problem) lossFacts() (list []Fact) {
	for _, n := range model.LossNumbers {
		text := describeInUnits(*n.Of(&p.LossSettings), slices.Contains(p.NumbersInUnits, n.Name))
		switch {
		case n.Name != model.NameTau:
		case p.Taus != nil:
			text = p.describeTaus()
		case p.TauOfEvents:
			text = "of the rows with an event"
		}
		list = append(list, Fact{n.Name, text})
	}
	return list
}

// describeInUnits returns a number as text, which is the same for all data if it is counted in units.
func describeInUnits(x float64, inUnits bool) string {
	if inUnits {
		return "in deviations of the targets"
	}
	return fmt.Sprint(x)
}
