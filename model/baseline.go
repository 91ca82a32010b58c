package model

import (
	"math"
	"slices"
)

// Baseline is the cumulative hazard of a row whose decision value is 0, of tasks whose functions are logarithms of relative
// hazards, after Breslow with ties after Efron: at each time of an event of the training rows. Both lists are nil for other tasks.
type Baseline struct {
	// Times ascend and are above 0.
	Times []float64
	// Hazards ascend and are above 0.
	Hazards []float64
}

// check checks the steps of the hazard of a model of a task.
func (b *Baseline) check(task string, f *faults) {
	f.check(len(b.Times) == len(b.Hazards) && (len(b.Times) > 0) == GivesHazards(task), "%d times of a baseline with %d hazards in task %s",
		len(b.Times), len(b.Hazards), clip(task))
	for _, list := range [][]float64{b.Times, b.Hazards} {
		f.check(!slices.ContainsFunc(list, func(x float64) bool { return !above0(x) }), "times or hazards of a baseline that are not above 0")
	}
	for k := 1; k < min(len(b.Times), len(b.Hazards)); k++ {
		if !(b.Times[k] > b.Times[k-1] && b.Hazards[k] >= b.Hazards[k-1]) {
			f.check(false, "times or hazards of a baseline that do not ascend")
			return
		}
	}
}

// baselineSection is the baseline hazard.
type baselineSection struct{ plainSection }

var _ section = baselineSection{}

func (baselineSection) tensors(m *Model) []field {
	return []field{{name: "baseline_times", f64: &m.Baseline.Times}, {name: "baseline_hazards", f64: &m.Baseline.Hazards}}
}

func (baselineSection) check(m *Model, f *faults) { m.Baseline.check(m.Task, f) }

// Hazard returns the cumulative hazard up to a time. It is constant between events, and after the last one.
func (b *Baseline) Hazard(t float64) float64 {
	k, found := slices.BinarySearch(b.Times, t)
	if found {
		k++
	}
	if k == 0 {
		return 0
	}
	return b.Hazards[k-1]
}

// Survival returns the probability of no event up to a time, of a row whose decision value is f.
func (b *Baseline) Survival(t, f float64) float64 { return math.Exp(-b.Hazard(t) * math.Exp(f)) }
